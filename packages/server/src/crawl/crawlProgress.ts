import type { Time } from '../domain/facts/facts.ts'
import type { CrawlProgress, CrawlRound, DirectoryProgress } from '../ports/crawlProgress.ts'
import { createLookWatch, type WatchedLook } from './lookWatch.ts'

/** Counts probes and rounds. */
export type ProgressKeeper = {
  read(): Omit<CrawlProgress, keyof DirectoryProgress>
  /** Counts a probe. */
  countLook(look: WatchedLook, tookMs: number): void
  /** Counts a probe that threw. */
  countFailure(): void
  /**
   * Updates the round. It ends once as many endpoints are handled as were due at its start, since the earliest due ones
   * are handled first; the next one starts at once if any are due.
   * @param handled number of endpoints handled since the start
   * @param due number of endpoints that wait, whether taken or not
   */
  follow(handled: number, due: number): void
  /** Clears the round when another process takes the lead. */
  leave(): void
}

/**
 * Creates the counters at zero.
 * @param onFailing called when probing begins to fail, and with null when it works again
 */
export function createProgressKeeper(
  clock: { now(): number },
  onFailing?: (since: Time | null) => void,
): ProgressKeeper {
  const watch = createLookWatch(clock, onFailing)
  const counts = { looks: 0, failures: 0, due: 0, lastLookAt: null as number | null }
  let round: CrawlRound | null = null
  let handledBefore = 0
  let lastFinishedAt: number | null = null
  return {
    read: () => ({
      ...counts,
      round,
      lastFinishedAt,
      failingSince: watch.failingSince(),
      slowestLookMs: watch.slowestMs(),
    }),
    countLook(look, tookMs) {
      watch.add(look, tookMs)
      counts.looks++
      counts.lastLookAt = clock.now()
    },
    countFailure() {
      counts.failures++
    },
    follow(handled, due) {
      counts.due = due
      if (round !== null) round = { ...round, looked: Math.max(round.looked, handled - handledBefore) }
      // An empty first round counts as finished.
      const isFinished = round === null ? lastFinishedAt === null && due === 0 : isOver(round, due)
      if (isFinished) {
        round = null
        lastFinishedAt = clock.now()
      }
      if (round === null && due > 0) {
        round = { startedAt: clock.now(), looked: 0, total: due }
        handledBefore = handled
      }
    },
    leave() {
      counts.due = 0
      round = null
      lastFinishedAt = null
    },
  }
}

const isOver = ({ looked, total }: CrawlRound, due: number) => looked >= total || due === 0
