import type { PricePeriod, ReceiverPeriod } from '@touchstone402/shared'
import { addressProof } from '../facts/explorer.ts'
import type { Observation, RecordsOf } from '../facts/facts.ts'
import { toTimestamp } from '../facts/times.ts'
import type { Epoch } from './epochs.ts'
import { type Past, pricesBefore } from './past.ts'
import { splitPrices } from './prices.ts'

/** Lists the receivers of an endpoint with their periods, oldest first. */
export function receiversOf(
  epochs: readonly Epoch[],
  { until, state }: Past,
  recordsOf: RecordsOf,
): ReceiverPeriod[] {
  const start = epochs.findLastIndex(({ from }) => from < until)
  const own = epochs.slice(Math.max(0, start))
  const periods = own.flatMap(({ first, from }, index): ReceiverPeriod[] => {
    if (first === undefined) return []
    const { network, payTo } = first
    const next = own[index + 1]
    const proof = addressProof(network, payTo, recordsOf(network, payTo)[0]?.blockNumber ?? null)
    return [{ payTo, from: toTimestamp(from), to: next === undefined ? null : toTimestamp(next.from), proof }]
  })
  const isBefore = ({ from }: ReceiverPeriod) => Date.parse(from) < until
  return joinPeriods(state?.payToHistory.filter(isBefore) ?? [], periods, (_, next) => isBefore(next))
}

/** Lists the prices of an endpoint with their periods, oldest first. */
export function pricesOf(probes: readonly Observation[], past: Past): PricePeriod[] {
  const isSame = (a: PricePeriod, b: PricePeriod) =>
    a.amountAtomic === b.amountAtomic && a.priceUsd === b.priceUsd
  return joinPeriods(pricesBefore(past), splitPrices(probes), isSame)
}

/**
 * Puts earlier periods in front of others.
 * @param isSame whether the first of the others continues the last earlier one
 */
function joinPeriods<T extends PricePeriod | ReceiverPeriod>(
  earlier: readonly T[],
  periods: readonly T[],
  isSame: (a: T, b: T) => boolean,
): T[] {
  const last = earlier.at(-1)
  const [first, ...others] = periods
  if (last === undefined || first === undefined) return [...earlier, ...periods]
  const rest = isSame(last, first) ? others : periods
  return [...earlier.slice(0, -1), { ...last, to: rest[0]?.from ?? null }, ...rest]
}
