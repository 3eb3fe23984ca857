import type { DirectoryProgress } from './createDirectoryReader.ts'

/** One pass over everything that was due when it began. */
export type CrawlRound = {
  /** Milliseconds since 1970, by the audit's clock. */
  readonly startedAt: number
  readonly looked: number
  readonly total: number
}

/** What the crawl has done so far, as far as this process knows; the log, the metrics and the dashboard show it. */
export type CrawlProgress = DirectoryProgress & {
  /** Looks that this process made. */
  readonly looks: number
  readonly failures: number
  /** Endpoints that wait to be looked at now. */
  readonly due: number
  readonly lastLookAt: number | null
  /** Null between two rounds, and where this process does not lead the crawl. */
  readonly round: CrawlRound | null
  /** When the last round ended that this process led. */
  readonly lastFinishedAt: number | null
}

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
