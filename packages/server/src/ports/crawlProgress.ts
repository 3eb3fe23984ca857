/** How the reading of the directories stands. */
export type DirectoryProgress = {
  /** How often each directory was read to its end, or to a fault, at least. */
  readonly discoveries: number
  /** Rows that the last reading of each held. */
  readonly listed: number
  /** Rows so far that could not be read. */
  readonly rejectedRows: number
  /** How the last reading of each ended, and how many are being read now. */
  readonly directories: { readonly read: number; readonly failed: number; readonly reading: number }
}

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
