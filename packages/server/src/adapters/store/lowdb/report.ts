/** Something about the data folder that the operator should know; the store went on. */
export type StoreReport = {
  /**
   * - `torn_tail`: a crash left an unfinished call at the end of the log; it was never acknowledged and was cut off.
   * - `corrupt_segment`, `corrupt_document`: a file was damaged and moved aside; what could be read was kept.
   * - `stale_lock`: the folder's former owner is dead; this process took over.
   * - `write_failed`: the disk refused a write; callers were told, or the write will be tried again.
   */
  readonly code: 'torn_tail' | 'corrupt_segment' | 'corrupt_document' | 'stale_lock' | 'write_failed'
  /** Path of the file. */
  readonly file: string
  /** What happened, in a sentence. */
  readonly detail: string
}

/** Takes reports; must not throw. */
export type OnReport = (report: StoreReport) => void

/** The reason an operation failed, in one line. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The system's code of an error, such as `ENOENT`; undefined where it has none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
