import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { aWantedClaim, NOON } from '../testing/records.ts'
import { useScratchFolder } from '../testing/scratch.ts'
import { listOf } from '../testing/useStore.ts'
import { createEmbeddedStore } from './createEmbeddedStore.ts'

const scratch = useScratchFolder()
const VICTIM = fileURLToPath(new URL('./testing/victim.ts', import.meta.url))
const KILLS = 20

type Acknowledged = { readonly id: string; readonly endpoint: string; readonly isClaimed: boolean }

/** Runs a victim and kills it after some acknowledgements. Returns all that it made. */
async function runVictim(round: number): Promise<Acknowledged[]> {
  const child = fork(VICTIM, [scratch(), `${round}`], {
    execArgv: ['--conditions=source', '--import', 'tsx'],
  })
  const acknowledged: Acknowledged[] = []
  child.on('message', (message: Acknowledged) => {
    acknowledged.push(message)
    if (acknowledged.length === 20 + round * 7) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'close')
  expect(signal).toBe('SIGKILL')
  return acknowledged
}

test('behavior: kills amid writing lose nothing that was acknowledged, and totals stay right', async () => {
  const acknowledged: Acknowledged[] = []
  for (let round = 0; round < KILLS; round++) acknowledged.push(...(await runVictim(round)))
  const store = await createEmbeddedStore({ directory: scratch() })
  const endpoints = new Set(acknowledged.map(({ endpoint }) => endpoint))
  for (const endpoint of endpoints) {
    const kept = new Set((await listOf(store.looks(endpoint))).map(({ id }) => id))
    const own = acknowledged.filter((one) => one.endpoint === endpoint)
    expect(own.filter(({ id }) => !kept.has(id))).toEqual([])
  }
  for (const { id } of acknowledged.filter(({ isClaimed }) => isClaimed))
    expect((await store.claims.claim(aWantedClaim({ nonce: id }))).won).toBe(false)
  let live = 0
  const names = await listOf(store.ranked('names', NOON))
  for (const name of names) live += (await store.host(name))?.endpoints.length ?? 0
  expect(await store.count('hosts/all')).toBe(names.length)
  expect(await store.count('status/live')).toBe(live)
  await store.close()
}, 400_000)
