import type { CrawlProgress, CrawlRound, DirectoryProgress } from '../ports/crawlProgress.ts'

/** Counts probes and rounds. */
export type ProgressKeeper = {
  read(): Omit<CrawlProgress, keyof DirectoryProgress>
  countLook(isDone: boolean): void
  setDue(due: number): void
  /** Starts, updates or finishes the round. */
  setRound(looked: number, total: number): void
  /** Clears the round when another process takes the lead. */
  leave(): void
}

/** Creates the counters at zero. */
export function createProgressKeeper(clock: { now(): number }): ProgressKeeper {
  const counts = { looks: 0, failures: 0, due: 0, lastLookAt: null as number | null }
  let round: CrawlRound | null = null
  let lastFinishedAt: number | null = null
  return {
    read: () => ({ ...counts, round, lastFinishedAt }),
    countLook(isDone) {
      if (isDone) {
        counts.looks++
        counts.lastLookAt = clock.now()
      } else counts.failures++
    },
    setDue(due) {
      counts.due = due
    },
    setRound(looked, total) {
      if (looked < total) {
        round = { startedAt: round?.startedAt ?? clock.now(), looked, total }
      } else if (round !== null || lastFinishedAt === null) {
        // An empty first round counts as finished.
        round = null
        lastFinishedAt = clock.now()
      }
    },
    leave() {
      counts.due = 0
      round = null
      lastFinishedAt = null
    },
  }
}
