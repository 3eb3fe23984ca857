import type { DirectoryPage, ListedRow } from '../../ports/directory.ts'

/** One page of a paged list. */
export type ListPage = {
  readonly items: readonly unknown[]
  /** How many there are in all, where the directory says so. */
  readonly total: number | null
}

/** How a paged list is walked. */
export type ReadPagesOptions = {
  /** Reads the page that starts at this item; `index` counts pages from 0. */
  read(offset: number, index: number): Promise<ListPage>
  /** A row, `null` for what is no endpoint of ours to look at. Throws where it cannot be read. */
  map(item: unknown): ListedRow | null
  /** Between pages, ms. @default 100 */
  readonly pauseMs?: number
  readonly signal?: AbortSignal
}

/** A list that goes on after this many pages has no end. */
const MAX_PAGES = 5_000

/**
 * Walks a list by offset to its end: the total where one is given, an empty page otherwise. Directories cut pages
 * short without saying so, so the next page starts where this one really ended. A directory that ignores the offset
 * gives the same page again, which ends the walk.
 */
export async function* readPages(options: ReadPagesOptions): AsyncIterable<DirectoryPage> {
  let offset = 0
  let before = ''
  for (let index = 0; index < MAX_PAGES; index++) {
    if (index > 0) await pause(options.pauseMs ?? 100)
    options.signal?.throwIfAborted()
    const { items, total } = await options.read(offset, index)
    const fingerprint = JSON.stringify([items.length, items[0], items.at(-1)])
    if (items.length === 0 || fingerprint === before) return
    before = fingerprint
    yield mapPage(items, options.map)
    offset += items.length
    if (total !== null && offset >= total) return
  }
}

/** Maps each item alone, so that one that cannot be read loses nothing but itself. */
export function mapPage(items: readonly unknown[], map: (item: unknown) => ListedRow | null): DirectoryPage {
  const rows: ListedRow[] = []
  let rejected = 0
  for (const item of items) {
    try {
      const row = map(item)
      if (row !== null) rows.push(row)
    } catch {
      rejected++
    }
  }
  return { rows, rejected }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
