import type { Flow } from '@touchstone402/shared'

/** An amount of an answer; its decimals may be unknown. */
type Amount = { readonly raw: string; readonly amount: string | null }

/** Returns an amount for plots, which need no more digits than a number has. */
export const amountOf = ({ raw, amount }: Amount): number => Number(amount ?? raw)

/** Formats an amount in whole tokens: `50,104`. */
export const formatWhole = (value: number): string =>
  Math.round(value).toLocaleString('en-US').replace('-', '−')

/** Formats a share in percent without decimals. */
export const formatShare = (part: number, whole: number): string =>
  `${whole === 0 ? 0 : Math.round((100 * part) / whole)}%`

/** Formats a change in percent with its sign; `new` if there was nothing before. */
export function formatChange(pct: number | null): string {
  if (pct === null) return 'new'
  return `${pct > 0 ? '+' : ''}${pct.toFixed(1)}%`.replace('-', '−')
}

/** Formats a time of day in UTC: `20:15`. */
export const formatHour = (time: number | string): string => new Date(time).toISOString().slice(11, 16)

/** Lists the addresses that gained and lost most, largest change first. */
export function largestFlows(
  { topAccumulators, topDistributors }: Flow,
  count: number,
): Flow['topAccumulators'] {
  return [...topAccumulators, ...topDistributors]
    .sort((one, other) => Math.abs(amountOf(other.net)) - Math.abs(amountOf(one.net)))
    .slice(0, count)
}
