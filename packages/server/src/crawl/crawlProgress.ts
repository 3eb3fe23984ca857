import type { CrawlProgress, CrawlRound, DirectoryProgress } from '../ports/crawlProgress.ts'

/** Keeps the count of looks and rounds. */
export type ProgressKeeper = {
  read(): Omit<CrawlProgress, keyof DirectoryProgress>
  countLook(isDone: boolean): void
  setDue(due: number): void
  /** Begins a round, moves it on, and ends it where everything was looked at. */
  setRound(looked: number, total: number): void
  /** Forgets the round, since another process leads from now on. */
  leave(): void
}

/** Makes a keeper that has counted nothing. */
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
        // Where nothing was due to begin with, that is known as well.
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
