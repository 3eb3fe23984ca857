import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { logStorage, openStore, readHead, readLeaves, readLogSize } from '@touchstone402/server/testing'
import { formatSignerKey } from '@touchstone402/transparency'
import { isWhole } from '@touchstone402/transparency/publisher'
import { bundleVictim } from '../../support/bundleVictim.ts'
import { startChild } from '../../support/child.ts'
import { ORIGIN } from './world.ts'

type Head = { readonly note: string; readonly size: number; readonly at: number }

/** Leaves and signed trees that one life of the victim acknowledged. */
type Life = { readonly added: number; readonly heads: readonly Head[] }

/**
 * Kills a logging process again and again at random moments, and compares the log with what it acknowledged: every leaf
 * once and in order, and every signed tree still a beginning of the log.
 */
export async function killMany(
  kills: number,
): Promise<{ kills: number; lost: number; leaves: number; heads: number }> {
  const victim = await bundleVictim('log', new URL('./victim.ts', import.meta.url))
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-log-'))
  const signerKey = await formatSignerKey(ORIGIN, new Uint8Array(32).fill(1))
  let [next, lost, signed] = [0, 0, 0]
  try {
    for (let kill = 1; kill <= kills; kill++) {
      // Every second life signs at least once, the others may end before.
      const life = await live(
        victim.file,
        { directory, signerKey, from: next },
        kill % 2 === 0 ? 'signed' : 'ready',
      )
      const found = await check(directory, next, life)
      lost += found.lost
      next = found.next
      signed += life.heads.length
      if (kill % 20 === 0)
        process.stderr.write(`${kill} kills: ${next} leaves, ${signed} trees signed, ${lost} lost\n`)
    }
    return { kills, lost, leaves: next, heads: signed }
  } finally {
    await victim.remove()
    await rm(directory, { recursive: true, force: true })
  }
}

/** @param wanted the report after which it is killed within a tenth of a second */
async function live(
  file: string,
  settings: Record<string, unknown>,
  wanted: 'ready' | 'signed',
): Promise<Life> {
  let added = Number(settings.from)
  const heads: Head[] = []
  let isReady: () => void = () => {}
  const ready = new Promise<void>((resolve) => {
    isReady = resolve
  })
  const onLine = (line: string) => {
    const [word = '', rest = ''] = line.split(/ (.*)/)
    if (word === wanted) isReady()
    if (word === 'added') added = Number(rest)
    else if (word === 'signed') heads.push(JSON.parse(rest))
    else if (word !== 'ready') throw new Error(`the victim said: ${line}`)
  }
  const child = startChild(file, { settings, onLine })
  const early = child.gone.then(() => Promise.reject(new Error('the victim ended before it was ready')))
  early.catch(() => undefined)
  await Promise.race([ready, early])
  await sleep(Math.random() * 100)
  await child.kill()
  return { added, heads }
}

/** Counts what is missing, doubled or out of order, and signed trees that the log does not continue. */
async function check(directory: string, from: number, { added, heads }: Life) {
  const store = await openStore({ databaseUrl: null, dataDir: directory })
  try {
    // Leaves that wait get their places, as after any start.
    while ((await store.write('sequenceLeaves', 4_096)) > 0);
    const size = await readLogSize(store)
    let lost = Math.max(0, added - size)
    const entries = await readLeaves(store, from, size)
    for (const [at, { leaf }] of entries.entries()) if (JSON.parse(leaf).version !== from + at) lost++
    for (const head of heads.slice(-8)) if (!(await isWhole(logStorage(store), head))) lost++
    const published = await readHead(store)
    if ((published?.size ?? 0) < (heads.at(-1)?.size ?? 0)) lost++
    return { lost, next: size }
  } finally {
    await store.close()
  }
}
