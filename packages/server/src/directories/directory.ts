import type { ListedRow } from '../facts/facts.ts'
import type { SkipCounts } from '../facts/skips.ts'

/** One page of a directory. */
export type DirectoryPage = {
  readonly rows: readonly ListedRow[]
  /** Number of rows that were skipped. */
  readonly skipped: SkipCounts
  /** Whether rows are missing through a fault of ours, so that the directory is read again soon. */
  readonly isUnfinished?: true
}

/** A list of x402 endpoints. */
export type Directory = {
  readonly name: string
  /** Whether no setting names it, such as the documents of hosts. Health counts leave it out. @default false */
  readonly isInternal?: true
  /** Whether an empty list is no fault, such as that of the operator's own file. @default false */
  readonly mayBeEmpty?: true
  /** Yields every page. Rejects if a page cannot be read; earlier pages stay valid. */
  pages(signal?: AbortSignal): AsyncIterable<DirectoryPage>
}
