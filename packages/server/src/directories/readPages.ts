import type { ListedRow } from '../facts/facts.ts'
import { addSkips, type SkipReason } from '../facts/skips.ts'
import type { DirectoryPage } from './directory.ts'
import { SkippedRowError } from './toRow.ts'

/** One page of a paged list. */
export type ListPage = { readonly items: readonly unknown[]; readonly isLast: boolean }

/** Options of {@link readPages}. */
export type ReadPagesOptions = {
  /** Reads the page that starts at item `offset`; `index` counts pages from 0. */
  read(offset: number, index: number): Promise<ListPage>
  /** Pause between pages, ms. */
  readonly pauseMs: number
  readonly signal?: AbortSignal | undefined
}

/** Maximum number of entries read from one document. */
export const MAX_ENTRIES = 1_000
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
 * Maps items to rows, and counts the skipped ones by the reason that `map` throws.
 * @param limit number of items to map; the others are skipped. @default all
 */
export function mapPage<T>(
  items: readonly T[],
  map: (item: T) => ListedRow,
  limit = items.length,
): DirectoryPage {
  const rows: ListedRow[] = []
  const skipped: Partial<Record<SkipReason, number>> = {}
  for (const item of items.slice(0, limit)) {
    try {
      rows.push(map(item))
    } catch (error) {
      const reason = error instanceof SkippedRowError ? error.reason : 'malformed'
      skipped[reason] = (skipped[reason] ?? 0) + 1
    }
  }
  if (items.length > limit) skipped.over_limit = items.length - limit
  return { rows, skipped }
}

/** Joins pages into one. */
export function joinPages(pages: readonly DirectoryPage[]): DirectoryPage {
  return {
    rows: pages.flatMap(({ rows }) => rows),
    skipped: addSkips(pages.map(({ skipped }) => skipped)),
    ...(pages.some(({ isUnfinished }) => isUnfinished) && { isUnfinished: true }),
  }
}

/** Waits between two requests to a directory. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
