import type { Listing } from '../domain/facts/facts.ts'

/** A row of a directory, before it gets an id and a time. */
export type ListedRow = Omit<Listing, 'kind' | 'id' | 'at'>

/** What one page of a directory held; a row that could not be read is counted, and loses nothing else. */
export type DirectoryPage = { readonly rows: readonly ListedRow[]; readonly rejected: number }

/** A place that lists x402 endpoints. */
export type Directory = {
  readonly name: string
  /** Every page to the end. Rejects when a page cannot be had; pages before it stay valid. */
  pages(signal?: AbortSignal): AsyncIterable<DirectoryPage>
}
