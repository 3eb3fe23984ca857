import type { Purchase, Time } from '../domain/facts/facts.ts'
import type { EndpointState } from '../domain/facts/hostDocument.ts'
import { DAY, HOUR } from '../domain/facts/times.ts'
import { FLAG_SPECS } from '../domain/judge/spec.ts'
import { currentVerdict } from '../domain/publish/verdict.ts'

/** A service is bought from this rarely. */
const EVERY_MS = 7 * DAY
/** How soon a purchase that brought nothing is repeated, since one alone convicts nobody. */
const CONFIRM_MS = HOUR

/** What may be bought, and from when on. */
export type PlannedCall = { readonly endpoint: EndpointState; readonly notBefore: Time }

export type ShoppingLimits = {
  /** CAIP-2 of the network that is paid on. */
  readonly network: string
  /** Dollars for one call at the most. */
  readonly perCallUsd: number
}

/**
 * The next test purchase at a service: the cheapest call within the limit, once a week; where the last one brought
 * nothing and was the first to do so, the same call again after an hour. Undefined where nothing may be bought.
 * @param purchases all of the service, oldest first
 */
export function planPurchase(
  endpoints: readonly EndpointState[],
  purchases: readonly Purchase[],
  limits: ShoppingLimits,
  now: Time,
): PlannedCall | undefined {
  const open = endpoints.filter((endpoint) => isBuyable(endpoint, limits, now))
  const last = purchases.at(-1)
  if (last !== undefined && isUndelivered(last)) {
    const before = purchases.findLast(
      ({ endpoint }, index) => endpoint === last.endpoint && index < purchases.length - 1,
    )
    const again = open.find(({ endpoint }) => endpoint === last.endpoint)
    const isFirst = before === undefined || !isUndelivered(before)
    if (isFirst && again !== undefined) return { endpoint: again, notBefore: last.at + CONFIRM_MS }
  }
  const cheapest = open.reduce<EndpointState | undefined>(
    (best, endpoint) => (best === undefined || priceOf(endpoint) < priceOf(best) ? endpoint : best),
    undefined,
  )
  if (cheapest === undefined) return undefined
  return { endpoint: cheapest, notBefore: last === undefined ? 0 : last.at + EVERY_MS }
}

const isUndelivered = ({ settled, delivered }: Purchase) => settled && !delivered

const priceOf = ({ priceUsd }: EndpointState) => priceUsd ?? Number.POSITIVE_INFINITY

/** Whatever else speaks against an endpoint is known without paying for it; that nothing is delivered can only be disproved so. */
function isBuyable(endpoint: EndpointState, { network, perCallUsd }: ShoppingLimits, now: Time): boolean {
  return (
    currentVerdict(endpoint, now).status === 'live' &&
    endpoint.network === network &&
    priceOf(endpoint) > 0 &&
    priceOf(endpoint) <= perCallUsd &&
    endpoint.flags.every((flag) => flag === 'no_delivery' || FLAG_SPECS[flag].risk !== 'high')
  )
}
