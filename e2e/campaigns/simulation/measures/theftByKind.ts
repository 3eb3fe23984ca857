import { groupBy } from '@touchstone402/server/testing'
import type { Host } from '../world/types.ts'
import { quantile, round } from './quantiles.ts'
import { NO_THEFT, type Theft } from './theft.ts'

/** Median and 99th percentile over the hosts of a kind, in hours. */
type Hours = { readonly median: number | null; readonly p99: number | null }

/** Hours of theft by kind of thief. */
export type TheftHours = Readonly<Record<string, Hours>>

/** Sums up the hours of theft by kind. Kinds without any are left out. */
export function theftByKind(
  thieves: readonly Host[],
  theft: ReadonlyMap<string, Theft>,
  count: (theft: Theft) => number,
): TheftHours {
  const kinds = groupBy(thieves, ({ kind }) => kind)
  return Object.fromEntries(
    [...kinds].flatMap(([kind, hosts]) => {
      const hours = hosts.map(({ host }) => count(theft.get(host) ?? NO_THEFT))
      const found = { median: round(quantile(hours, 0.5)), p99: round(quantile(hours, 0.99)) }
      return hours.some((each) => each > 0) ? [[kind, found] as const] : []
    }),
  )
}
