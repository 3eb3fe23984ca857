import type { Listing } from '../domain/facts/facts.ts'

/** A row of a directory, before it gets an id and a time. */
export type ListedRow = Omit<Listing, 'kind' | 'id' | 'at'>

/** One page of a directory, and the number of its rows that could not be parsed. */
export type DirectoryPage = { readonly rows: readonly ListedRow[]; readonly rejected: number }

/** A list of x402 endpoints. */
export type Directory = {
  readonly name: string
  /** Yields every page. Rejects if a page cannot be read; earlier pages stay valid. */
  pages(signal?: AbortSignal): AsyncIterable<DirectoryPage>
}
