import { SnapshotsFullError } from '../../facts/storeError.ts'
import { ProblemError } from '../../lib/problemError.ts'
import type { Snapshot, Snapshots } from './snapshots.ts'

/** Makes snapshots on demand. */
export type SnapshotMaker = {
  /**
   * Returns the snapshot of a name: in progress, recent or new.
   * @throws ProblemError 503 if the queue or the disk is full
   */
  make(name: string, write: () => AsyncIterable<string>): Promise<Snapshot>
}

/** Time during which buyers share a snapshot, in ms of real time. */
const SHARED_MS = 60_000
/** Queue length; each snapshot takes some seconds. */
const MAX_WAITING = 8

/** Creates the maker. Snapshots are written one at a time, and continue if their first buyer leaves. */
export function createSnapshotMaker(snapshots: Pick<Snapshots, 'write'>): SnapshotMaker {
  const shared = new Map<string, { madeAt: number; snapshot: Promise<Snapshot> }>()
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0

  const forget = () => {
    const now = performance.now()
    for (const [name, { madeAt }] of shared) if (now - madeAt >= SHARED_MS) shared.delete(name)
  }

  return {
    make(name, write) {
      forget()
      const known = shared.get(name)
      if (known !== undefined) return known.snapshot
      if (waiting >= MAX_WAITING) return Promise.reject(tooMany())
      waiting++
      const entry = {
        // Set when it is complete.
        madeAt: Number.POSITIVE_INFINITY,
        snapshot: last.then(() => snapshots.write(write())),
      }
      shared.set(name, entry)
      last = entry.snapshot.then(
        () => {
          waiting--
          entry.madeAt = performance.now()
        },
        () => {
          waiting--
          shared.delete(name)
        },
      )
      entry.snapshot = entry.snapshot.catch((error: unknown) => {
        throw error instanceof SnapshotsFullError ? noRoom() : error
      })
      return entry.snapshot
    },
  }
}

const tooMany = () =>
  new ProblemError(503, 'datasets_busy', 'Too many datasets are in progress; nothing was charged.', {
    retryAfterSeconds: 30,
  })

const noRoom = () =>
  new ProblemError(503, 'datasets_full', 'No space for another dataset; nothing was charged.', {
    retryAfterSeconds: 3600,
  })
