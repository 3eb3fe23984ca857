import type { DirectoryPage, ListedRow } from '../../ports/directory.ts'

/** One page of a paged list. */
export type ListPage = { readonly items: readonly unknown[]; readonly isLast: boolean }

/** Options of {@link readPages}. */
export type ReadPagesOptions = {
  /** Reads the page that starts at item `offset`; `index` counts pages from 0. */
  read(offset: number, index: number): Promise<ListPage>
  /** Pause between pages, ms. @default 100 */
  readonly pauseMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** A longer list is treated as endless. */
const MAX_PAGES = 5_000

/**
 * Reads a paged list until its last page, an empty page, or a repeated page (from a directory that ignores the
 * offset). The offset counts the items received, because directories shorten pages without notice.
 */
export async function* readPages(options: ReadPagesOptions): AsyncIterable<readonly unknown[]> {
  let offset = 0
  let before = ''
  for (let index = 0; index < MAX_PAGES; index++) {
    if (index > 0) await pause(options.pauseMs)
    options.signal?.throwIfAborted()
    const { items, isLast } = await options.read(offset, index)
    const fingerprint = JSON.stringify([items.length, items[0], items.at(-1)])
    if (items.length === 0 || fingerprint === before) return
    before = fingerprint
    yield items
    offset += items.length
    if (isLast) return
  }
}

/**
 * Maps items to rows. Counts an item as rejected if `map` throws.
 * @param map returns null for an item to leave out
 */
export function mapPage<T>(items: readonly T[], map: (item: T) => ListedRow | null): DirectoryPage {
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

/** Joins pages into one. */
export function joinPages(pages: readonly DirectoryPage[]): DirectoryPage {
  return {
    rows: pages.flatMap(({ rows }) => rows),
    rejected: pages.reduce((sum, { rejected }) => sum + rejected, 0),
  }
}

/** Waits between two requests to a directory. @param ms @default 100 */
export function pause(ms = 100): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
