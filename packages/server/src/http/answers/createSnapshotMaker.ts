import { SnapshotsFullError } from '../../domain/facts/snapshotError.ts'
import type { Snapshot, Snapshots } from '../../ports/snapshots.ts'
import { ProblemError } from '../problems.ts'

/** Makes snapshots on demand. */
export type SnapshotMaker = {
  /**
   * The snapshot of this name: the one that is being made, or was made a moment ago, or a new one.
   * @throws ProblemError 503 where too many are wanted at once, or there is no room.
   */
  make(name: string, write: () => AsyncIterable<string>): Promise<Snapshot>
}

/** Buyers within this time get the same bytes. Real time, in milliseconds. */
const SHARED_MS = 60_000
/** So many different ones may wait for their turn; each is some seconds of work. */
const MAX_WAITING = 8

/** Makes the maker. Snapshots are written one after the other, and go on when the buyer that asked first has left. */
export function createSnapshotMaker(
  snapshots: Pick<Snapshots, 'write'>,
  now: () => number = () => performance.now(),
): SnapshotMaker {
  const shared = new Map<string, { madeAt: number; snapshot: Promise<Snapshot> }>()
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0

  const forget = () => {
    for (const [name, { madeAt }] of shared) if (now() - madeAt >= SHARED_MS) shared.delete(name)
  }

  return {
    make(name, write) {
      forget()
      const known = shared.get(name)
      if (known !== undefined) return known.snapshot
      if (waiting >= MAX_WAITING) return Promise.reject(tooMany())
      waiting++
      const entry = {
        // Counts from its end, once that is known.
        madeAt: Number.POSITIVE_INFINITY,
        snapshot: last.then(() => snapshots.write(write())),
      }
      shared.set(name, entry)
      last = entry.snapshot.then(
        () => {
          waiting--
          entry.madeAt = now()
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
  new ProblemError(503, 'datasets_busy', 'Too many datasets are being made; nothing was charged.', {
    retryAfterSeconds: 30,
  })

const noRoom = () =>
  new ProblemError(503, 'datasets_full', 'There is no room for another dataset now; nothing was charged.', {
    retryAfterSeconds: 3600,
  })
