import { findKnownNetwork } from '@touchstone402/shared'
import { formatDollars } from '../../facts/dollars.ts'
import type { Observation, ObservedOffer, Time } from '../../facts/facts.ts'
import { toTimestamp } from '../../facts/times.ts'
import { mainOffer } from '../offers.ts'

/** Maximum number of characters of a seller's value, such as an address of another chain. */
const MAX_VALUE = 100

export const AT_NEXT = 'Clears at the next probe that does not show it.'

export const cut = (text: string) => (text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text)
export const labelOf = (network: string) => findKnownNetwork(network)?.label ?? cut(network)
export const dollars = (usd: number | null) =>
  usd === null ? 'an amount without a price' : formatDollars(usd)
/** Formats a time to the minute. */
export const on = (time: Time) =>
  toTimestamp(time)
    .replace(/:\d\d\.\d+Z$|:\d\dZ$/, ' UTC')
    .replace('T', ' ')
export const describeOffer = ({ scheme, asset, network, payTo }: ObservedOffer) =>
  `${scheme} payment of ${cut(asset)} on ${labelOf(network)} to ${cut(payTo)}`

/** Returns the main offer of the last probe. */
export const mainOfLast = (latest: readonly Observation[]): ObservedOffer | undefined =>
  latest.map(mainOffer).at(-1)
