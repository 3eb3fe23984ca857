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

/**
 * Plans the next purchase at a service: a call drawn by lot, a week after the last purchase. If that was the first
 * without a delivery, the same call is repeated after an hour.
 * @param open endpoints that may be bought from
 * @param purchases all of the service, oldest first
 * @param random 0 to 1
 */
export function planPurchase(
  open: readonly EndpointRow[],
  purchases: readonly Purchase[],
  random: () => number,
): PlannedCall | undefined {
  const last = purchases.at(-1)
  if (last !== undefined && isFailed(last)) {
    const before = purchases.findLast(
      ({ endpoint }, index) => endpoint === last.endpoint && index < purchases.length - 1,
    )
    const again = open.find(({ endpoint }) => endpoint === last.endpoint)
    const isFirst = before === undefined || !isFailed(before)
    if (isFirst && again !== undefined)
      return { endpoint: again, notBefore: last.at + CONFIRM_MS, isConfirmation: true }
  }
  const drawn = drawByPrice(open, random)
  if (drawn === undefined) return undefined
  return { endpoint: drawn, notBefore: last === undefined ? 0 : last.at + EVERY_MS, isConfirmation: false }
}

const isFailed = ({ settled, delivered }: Purchase) => settled && !delivered

/**
 * Draws an endpoint by lot. A call of four times the price is drawn half as often: a seller that delivers only its
 * cheapest call is found, and the budget lasts.
 */
function drawByPrice(open: readonly EndpointRow[], random: () => number): EndpointRow | undefined {
  const weights = open.map(({ priceUsd }) => 1 / Math.sqrt(priceUsd === null || priceUsd <= 0 ? 1 : priceUsd))
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0)
  for (const [index, endpoint] of open.entries()) {
    left -= weights[index] ?? 0
    if (left < 0) return endpoint
  }
  return open.at(-1)
}

/** Returns why an endpoint is not bought from now, as a code; null if it may be. The last judgement says what rules it out. */
export function whyNotBought(endpoint: EndpointRow, now: Time): string | null {
  // Judged before score 1.3.0, and again within hours.
  if (endpoint.delivery === undefined) return 'not_judged'
  return isLive(endpoint, now) ? endpoint.delivery.reason : 'not_live'
}
