import { once } from 'node:events'
import type { HostLeases } from '../audit/hostLeases.ts'
import type { Context } from '../context.ts'
import type { Directory } from '../directories/directory.ts'
import type { Time } from '../facts/facts.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { logFailure } from '../lib/logFailure.ts'
import { createDirectoryReader, type DirectoryReader } from './createDirectoryReader.ts'

/** Parts of a leader. */
export type LeaderParts = {
  readonly directories: readonly Directory[]
  readonly hostLeases: Pick<HostLeases, 'adopt'>
  /** Further work of the leader; ends when the signal fires. If it fails, it is logged and starts again. */
  readonly lead: (signal: AbortSignal) => Promise<unknown>
}

/** One of all processes leads: it reads the directories and drops endpoints that are gone. */
export type Leader = {
  /** Takes the lead if no process has it, and starts due work. Another takes over if the leader dies. */
  attend(ending: AbortSignal): Promise<void>
  /** Returns when to attend again; infinity while all directories are being read. */
  next(): Time
  progress: DirectoryReader['progress']
  /** Resolves when the work has ended and the lead is released. */
  settled(): Promise<void>
}

/** Name of the leader's lease; not a valid host. */
export const LEADER = ':leader'
/** Minimum interval of attempts to take the lead. */
const RETRY_MS = 1000
/** An endpoint is dropped if it is dark for 90 days and no directory has listed it for 7. */
const DARK_MS = 90 * DAY
const UNLISTED_MS = 7 * DAY

/**
 * Creates a candidate.
 * @param onChange called after each page with new listings, and when a term ends
 */
export function createLeader(
  ctx: Pick<Context, 'clock' | 'ids' | 'log' | 'store'>,
  { directories, hostLeases, lead }: LeaderParts,
  onChange: () => void,
): Leader {
  const { clock, log, store } = ctx
  const openReader = () => createDirectoryReader(ctx, directories, onChange)
  const onError = (error: unknown) => logFailure(log, 'leader', error)
  let reader = openReader()
  let term: { readonly signal: AbortSignal; readonly done: Promise<void> } | null = null
  let triedAt = Number.NEGATIVE_INFINITY
  let dropAt = 0
  let dropping = Promise.resolve()

  const dropDead = async (signal: AbortSignal) => {
    const now = clock.now()
    while (!signal.aborted && (await store.write('dropDead', now - DARK_MS, now - UNLISTED_MS)) > 0);
  }

  const tryToLead = async (ending: AbortSignal) => {
    if (clock.now() < triedAt + RETRY_MS) return
    triedAt = clock.now()
    const lease = await store.write('takeLease', LEADER)
    if (lease === null) return
    const held = hostLeases.adopt(lease)
    const failed = new AbortController()
    const signal = AbortSignal.any([ending, held.signal, failed.signal])
    // Another process may have read the directories in between.
    reader = openReader()
    // They are read first, so that listed endpoints are not dropped after a long stop.
    dropAt = clock.now() + HOUR
    const serve = async () => {
      await lead(signal).catch((error: unknown) => {
        failed.abort()
        onError(error)
      })
      if (!signal.aborted) await once(signal, 'abort')
      await Promise.all([reader.settled(), dropping])
      await held.leave()
      term = null
      onChange()
    }
    term = { signal, done: serve() }
  }

  return {
    progress: () => reader.progress(),
    next: () => (term === null ? triedAt + RETRY_MS : reader.next()),
    async settled() {
      await term?.done
    },
    async attend(ending) {
      if (term === null) await tryToLead(ending)
      if (term === null || term.signal.aborted) return
      reader.begin(term.signal)
      if (clock.now() < dropAt) return
      dropAt = clock.now() + DAY
      dropping = dropDead(term.signal).catch(onError)
    },
  }
}
