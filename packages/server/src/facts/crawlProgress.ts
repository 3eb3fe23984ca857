import type { SkipCounts } from './skips.ts'

/** Progress of reading the directories. */
export type DirectoryProgress = {
  /** Number of completed readings of the directory that was read least often; failed ones count. */
  readonly discoveries: number
  /** Number of rows in the last readings of all directories. */
  readonly listed: number
  /** Number of rows in the last reading of each configured directory, by its name; none before the first. */
  readonly rows: Readonly<Record<string, number>>
  /** Number of rows that the last readings skipped, by reason. */
  readonly skipped: SkipCounts
  /**
   * Number of configured directories by the result of their last reading; and of those that are being read now, the
   * documents of hosts among them.
   */
  readonly directories: { readonly read: number; readonly failed: number; readonly reading: number }
}

/** One pass over the endpoints that were due when it started, by all processes. */
export type CrawlRound = {
  /** Unix time in ms of the audit's clock. */
  readonly startedAt: number
  /** Number of endpoints probed so far. */
  readonly probed: number
  readonly total: number
}

/** Progress of the crawl as far as this process knows, for log, metrics and dashboard. */
export type CrawlProgress = DirectoryProgress & {
  /** Number of endpoints that this process probed. */
  readonly probes: number
  readonly failures: number
  /** Number of endpoints due for a probe, by any process; counted every few seconds. */
  readonly due: number
  readonly lastProbeAt: number | null
  /** Null between two rounds. */
  readonly round: CrawlRound | null
  /** End of the last round since this process started. */
  readonly lastFinishedAt: number | null
  /** Time since which every probe of this process failed on our side, such as by its resolver; null while probes work. */
  readonly failingSince: number | null
  /** Duration of this process's slowest probe within the last five minutes, in ms; null without any. */
  readonly slowestProbeMs: number | null
}
