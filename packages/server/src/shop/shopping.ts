import { FLAG_RECORDS } from '@touchstone402/shared'
import type { Purchase, Time } from '../facts/facts.ts'
import type { EndpointRow } from '../facts/hostDocument.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { isLive } from '../publish/verdict.ts'

/** Interval between purchases at a service. */
const EVERY_MS = 7 * DAY
/** Delay before a failed purchase is repeated to confirm it. */
const CONFIRM_MS = HOUR

/** A planned purchase. */
export type PlannedCall = {
  readonly endpoint: EndpointRow
  readonly notBefore: Time
  /** Whether it repeats a failed purchase, so that one bad answer is not enough for a finding. */
  readonly isConfirmation: boolean
}

export type ShoppingLimits = {
  /** CAIP-2 id of the network to pay on. */
  readonly network: string
  /** Maximum price per call in dollars. */
  readonly perCallUsd: number
}

/**
 * Plans the next test purchase at a service: the cheapest call within the limit, once a week. If the last purchase was
 * the first without a delivery, the same call is repeated after an hour.
 * @param purchases all of the service, oldest first
 */
export function planPurchase(
  endpoints: readonly EndpointRow[],
  purchases: readonly Purchase[],
  limits: ShoppingLimits,
  now: Time,
): PlannedCall | undefined {
  const open = listBuyable(endpoints, limits, now)
  const last = purchases.at(-1)
  if (last !== undefined && isUndelivered(last)) {
    const before = purchases.findLast(
      ({ endpoint }, index) => endpoint === last.endpoint && index < purchases.length - 1,
    )
    const again = open.find(({ endpoint }) => endpoint === last.endpoint)
    const isFirst = before === undefined || !isUndelivered(before)
    if (isFirst && again !== undefined)
      return { endpoint: again, notBefore: last.at + CONFIRM_MS, isConfirmation: true }
  }
  const [cheapest] = open.toSorted((a, b) => priceOf(a) - priceOf(b))
  if (cheapest === undefined) return undefined
  return {
    endpoint: cheapest,
    notBefore: last === undefined ? 0 : last.at + EVERY_MS,
    isConfirmation: false,
  }
}

/** Returns the endpoints that may be bought from. */
export const listBuyable = (endpoints: readonly EndpointRow[], limits: ShoppingLimits, now: Time) =>
  endpoints.filter((endpoint) => isBuyable(endpoint, limits, now))

const isUndelivered = ({ settled, delivered }: Purchase) => settled && !delivered

const priceOf = ({ priceUsd }: EndpointRow) => priceUsd ?? Number.POSITIVE_INFINITY

/**
 * Endpoints at high risk are excluded, except for `no_delivery`, which only a purchase can clear. So are receivers that
 * were never paid: a purchase would be their first payment and clear the flag.
 */
function isBuyable(endpoint: EndpointRow, { network, perCallUsd }: ShoppingLimits, now: Time): boolean {
  return (
    isLive(endpoint, now) &&
    endpoint.network === network &&
    priceOf(endpoint) > 0 &&
    priceOf(endpoint) <= perCallUsd &&
    !endpoint.flags.includes('receiver_never_paid') &&
    endpoint.flags.every((flag) => flag === 'no_delivery' || FLAG_RECORDS[flag].risk !== 'high')
  )
}
