import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createEmbeddedStore } from '../embedded/createEmbeddedStore.ts'
import { findMissing, findWrongTotals } from '../testing/endlessWrites.ts'
import { NOON } from '../testing/records.ts'
import { useScratchFolder } from '../testing/scratch.ts'
import { requestBackup } from './requestBackup.ts'

const scratch = useScratchFolder()
const SCRIPT = fileURLToPath(new URL('../testing/storeProcess.ts', import.meta.url))

test('behavior: a back-up amid writes holds all that was acknowledged before, and is consistent', async () => {
  const data = join(scratch(), 'data')
  await mkdir(data)
  await writeFile(join(data, 'signing-keys.json'), 'secret', { mode: 0o600 })
  const child = spawn(process.execPath, ['--conditions=source', '--import', 'tsx', SCRIPT, data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'close')
  const acknowledged: string[] = []
  let wake = () => {}
  createInterface({ input: child.stdout }).on('line', (line) => {
    acknowledged.push(line.slice('ack '.length))
    wake()
  })
  const written = async (count: number) => {
    while (acknowledged.length < count) await new Promise<void>((resolve) => (wake = resolve))
  }

  const copies: { folder: string; before: string[] }[] = []
  for (const [index, count] of [400, 1200, 2000].entries()) {
    await written(count)
    const before = acknowledged.slice()
    const folder = join(scratch(), `copy${index}`)
    expect(await requestBackup(data, folder, () => {})).toMatchObject({ bytes: expect.any(Number) })
    copies.push({ folder, before })
  }
  await written(acknowledged.length + 1)
  child.kill('SIGKILL')
  await gone

  for (const { folder, before } of copies) {
    const store = await createEmbeddedStore({ directory: folder, now: () => NOON })
    expect(await findMissing(store, before)).toEqual([])
    expect(await findWrongTotals(store)).toEqual([])
    await store.close()
  }
  const killed = await createEmbeddedStore({ directory: data, now: () => NOON })
  expect(await findMissing(killed, acknowledged)).toEqual([])
  expect(await findWrongTotals(killed)).toEqual([])
  const unwritten = ['look 9999999', 'claim 9999999']
  expect(await findMissing(killed, unwritten)).toEqual(unwritten)
  await killed.close()
})
