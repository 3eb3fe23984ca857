import type { Address } from 'viem'
import type { EconomyClock } from '../clock.ts'
import type { SellerSpec } from '../sellers/types.ts'

/** A seller as a directory lists it. */
export type Listed = { spec: SellerSpec; url: string; receiver: Address }

/** Input from which a directory creates its items. */
export type DirectoryContext = { listed: readonly Listed[]; clock: EconomyClock; startedAt: number }

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Returns when a listing was last updated, in Unix ms: days before the start, or within the last hour. */
export function updatedAt(context: DirectoryContext, daysAgo: number | 'always'): number {
  if (daysAgo === 'always') return Math.floor(context.clock.now() / HOUR_MS) * HOUR_MS
  return context.startedAt - daysAgo * DAY_MS
}

/**
 * Parses the limit and offset of a query.
 * @param limits default and maximum page size.
 */
export function readPage(query: URLSearchParams, limits: { usual: number; most: number }) {
  const read = (name: string, fallback: number) => {
    const text = query.get(name) ?? ''
    return /^\d{1,9}$/.test(text) ? Number(text) : fallback
  }
  const limit = Math.min(limits.most, Math.max(1, read('limit', limits.usual)))
  return { limit, offset: read('offset', 0) }
}
