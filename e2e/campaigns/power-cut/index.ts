import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findMissing, findWrongTotals, openStore } from '@touchstone402/server/testing'
import { seededRandom } from '@touchstone402/shared/testing'
import { acknowledgedBefore, cutPower, writeImage } from './cutPower.ts'
import { type DiskEvent, readDiskEvents } from './readDiskEvents.ts'
import type { Call } from './readTrace.ts'
import { canTrace, prepareVictim } from './traceVictim.ts'

/** Numbers of probes are apart by this much between runs. */
const RUN = 100_000

/**
 * A power cut loses no payment and no leaf of the log that was acknowledged, of probes the last at most, and none in part.
 *
 * Traces the system calls of a process that writes into a store on SQLite and is killed, a few times on one folder, then
 * makes the disk as it may be after power cuts at random moments and opens the store there.
 *
 * The bar: every acknowledged claim and leaf is there, and each probe before them, nothing is there in part, totals are
 * right, and every store opens. SQLite maps the index of its log into memory, so writes to it cannot be traced. It is
 * rebuilt after a crash, so images omit it. Needs `strace`.
 */
export async function run({ short }: { short: boolean }) {
  if (!canTrace()) {
    process.stderr.write('power-cut: strace is not installed on this machine; nothing was tried\n')
    return { ok: false, figures: { skipped: 1 } }
  }
  const scratch = await mkdtemp(join(tmpdir(), 'touchstone-power-'))
  const root = join(scratch, 'data')
  const victim = await prepareVictim()
  try {
    const calls: Call[] = []
    for (let index = 0; index < (short ? 2 : 4); index++) {
      const traced = await victim.run({ directory: root, from: index * RUN, limit: short ? 600 : 6000 })
      // Each run starts without open files, and its calls follow those of the run before.
      const before = calls.length
      for (const call of traced) calls.push({ ...call, beganAfter: call.beganAfter + before })
    }
    const events = readDiskEvents(calls, root)
    const found = { cuts: 0, missing: 0, wrongTotals: 0, unopened: 0 }
    const seed = Date.now() % 1_000_000
    const random = seededRandom(seed)
    for (; found.cuts < (short ? 20 : 300); found.cuts++) {
      const before = Math.floor(random() * (events.length + 1))
      const image = join(scratch, 'image')
      await writeImage(cutPower(events, before, random), root, image)
      const fault = await checkImage(image, events, before)
      if (fault !== undefined) {
        found[fault.kind] += 1
        process.stderr.write(`seed ${seed}, cut before event ${before}: ${fault.kind}: ${fault.detail}\n`)
      }
      await rm(image, { recursive: true, force: true })
    }
    const acknowledged = acknowledgedBefore(events, events.length).length
    const lost = found.missing + found.wrongTotals + found.unopened
    return { ok: lost === 0 && acknowledged > 0, figures: { ...found, acknowledged, events: events.length } }
  } finally {
    await victim.remove()
    await rm(scratch, { recursive: true, force: true })
  }
}

type Fault = { readonly kind: 'missing' | 'wrongTotals' | 'unopened'; readonly detail: string }

async function checkImage(
  directory: string,
  events: readonly DiskEvent[],
  before: number,
): Promise<Fault | undefined> {
  const opened = await openStore({ databaseUrl: null, dataDir: directory }).catch((error: unknown) =>
    String(error),
  )
  if (typeof opened === 'string') return { kind: 'unopened', detail: opened }
  try {
    const missing = await findMissing(opened, acknowledgedBefore(events, before), true)
    if (missing.length > 0) return { kind: 'missing', detail: missing.slice(0, 5).join(', ') }
    const wrong = await findWrongTotals(opened)
    return wrong.length > 0 ? { kind: 'wrongTotals', detail: wrong.slice(0, 5).join(', ') } : undefined
  } catch (error) {
    return { kind: 'unopened', detail: String(error) }
  } finally {
    await opened.close()
  }
}
