/** A problem with the data folder that the store worked around. */
export type StoreReport = {
  /**
   * - `torn_tail`: a crash left an unfinished call at the end of the log; it was never acknowledged and was removed.
   * - `corrupt_segment`, `corrupt_document`: a damaged file was moved aside and its readable part kept.
   * - `stale_lock`: the previous owner of the folder is dead; this process took over.
   * - `write_failed`: the disk refused a write; the callers got an error, or the write will be retried.
   */
  readonly code: 'torn_tail' | 'corrupt_segment' | 'corrupt_document' | 'stale_lock' | 'write_failed'
  /** Path of the file. */
  readonly file: string
  /** One sentence for the operator. */
  readonly detail: string
}

/** Receives reports; must not throw. */
export type OnReport = (report: StoreReport) => void
