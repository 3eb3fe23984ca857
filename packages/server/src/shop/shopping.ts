import { formatUsdc } from '@touchstone402/shared'
import type { Purchase, Time } from '../facts/facts.ts'
import type { EndpointRow } from '../facts/hostDocument.ts'
import { recordId } from '../facts/ids.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { isLive } from '../publish/verdict.ts'
import type { DearTerms } from './createShopper.ts'

/** Interval between purchases at a service. */
const EVERY_MS = 7 * DAY
/** A failed purchase is repeated 1 to 48 hours later. */
const MIN_CONFIRM_MS = HOUR
const MAX_CONFIRM_MS = 48 * HOUR

/** A planned purchase. */
export type PlannedCall = {
  readonly endpoint: EndpointRow
  readonly notBefore: Time
  /** The failed purchase that it repeats, so that one bad answer is not enough for a finding; null for another one. */
  readonly confirms: Purchase | null
  /** Terms of a call above the price limit. @default the usual limit */
  readonly dear?: DearTerms
}

/** Endpoints above the price limit, and the most in dollars that is paid there from our own money. */
type DearCalls = { readonly endpoints: readonly EndpointRow[]; readonly mostUsd: number }

/**
 * Plans the next purchase at a service: a call drawn by lot, a week after the last one that its seller did not fund. If
 * there is a first one without a delivery, the same call is repeated instead, at a drawn time within two days.
 * @param open endpoints that may be bought from
 * @param purchases all of the service, oldest first
 * @param random 0 to 1
 * @param dear endpoints above the price limit, and the most in dollars for which a failed funded purchase is repeated
 */
export function planPurchase(
  open: readonly EndpointRow[],
  purchases: readonly Purchase[],
  random: () => number,
  dear: DearCalls,
): PlannedCall | undefined {
  const usual = purchases.findLast(({ isFunded }) => isFunded === undefined)
  const funded = purchases.findLast(({ isFunded }) => isFunded !== undefined)
  const confirmation =
    planConfirmation(open, purchases, usual) ??
    planFundedConfirmation([...open, ...dear.endpoints], purchases, funded, dear.mostUsd)
  if (confirmation !== undefined) return confirmation
  const drawn = drawByPrice(open, random)
  if (drawn === undefined) return undefined
  return { endpoint: drawn, notBefore: usual === undefined ? 0 : usual.at + EVERY_MS, confirms: null }
}

/** Plans the repetition of a purchase if it is the first that failed at its endpoint, and the last there. */
function planConfirmation(
  endpoints: readonly EndpointRow[],
  purchases: readonly Purchase[],
  failed: Purchase | undefined,
): PlannedCall | undefined {
  if (failed === undefined || !isFailed(failed)) return undefined
  const [before, last] = [
    undefined,
    ...purchases.filter(({ endpoint }) => endpoint === failed.endpoint),
  ].slice(-2)
  const endpoint = endpoints.find((one) => one.endpoint === failed.endpoint)
  if (endpoint === undefined || last !== failed || (before !== undefined && isFailed(before)))
    return undefined
  return { endpoint, notBefore: failed.at + confirmDelay(failed.id), confirms: failed }
}

/** Plans the repetition of a funded purchase, from our own money: the seller paid for one. */
function planFundedConfirmation(
  endpoints: readonly EndpointRow[],
  purchases: readonly Purchase[],
  failed: Purchase | undefined,
  mostUsd: number,
): PlannedCall | undefined {
  const planned = planConfirmation(endpoints, purchases, failed)
  if (planned === undefined || failed === undefined) return undefined
  const usd = formatUsdc(BigInt(failed.amountAtomic))
  if (Number(usd) > mostUsd) return undefined
  return { ...planned, dear: { usd, payTo: failed.payTo, isFunded: false } }
}

const isFailed = ({ settled, delivered }: Purchase) => settled && !delivered

/** Draws a delay by the id of a purchase, which its seller does not know: a fixed one would tell the repetition. */
function confirmDelay(id: string): number {
  const drawn = Number.parseInt(recordId('confirm', id).slice(-4), 16) / 2 ** 16
  return Math.round(MIN_CONFIRM_MS + drawn * (MAX_CONFIRM_MS - MIN_CONFIRM_MS))
}

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
  // States from before score 1.3.0 have no delivery until they are judged again.
  if (endpoint.delivery === undefined) return 'not_judged'
  if (!isLive(endpoint, now)) return 'not_live'
  const { reason } = endpoint.delivery
  // Rules out no purchase.
  return reason === 'receivers_differ' ? null : reason
}
