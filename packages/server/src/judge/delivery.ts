import {
  DELIVERY_PRICE_FACTOR,
  type Delivery,
  FLAG_RECORDS,
  type Flag,
  findNetwork,
  isCanonicalUsdc,
  isTemplate,
  type Status,
  sameAddress,
  type Term,
  UNBUYABLE_REASONS,
  type UnbuyableReason,
} from '@touchstone402/shared'
import { isDeclaredByHost, type Listing, type Purchase, type Time } from '../facts/facts.ts'
import { toDate } from '../facts/times.ts'
import type { Findings } from './evidence.ts'
import { toUsd } from './prices.ts'
import { LIMITS } from './spec.ts'

/** Facts that decide the delivery of an endpoint besides its purchases. */
export type DeliveryFacts = {
  readonly flags: readonly Flag[]
  readonly status: Status
  readonly terms: readonly Term[]
}

/** The delivery of an endpoint that was never bought from. */
export const NEVER_BOUGHT: Delivery = { status: 'never_bought', month: null, paidUsd: null, reason: null }

/**
 * Returns the delivery of an endpoint: by the last test purchase that is shown, or else whether it can be bought from.
 * Two purchases without a delivery are a finding, which is shown at once.
 */
export function findDelivery(findings: Findings, facts: DeliveryFacts): Delivery {
  const { purchases } = findings
  const failed = undeliveredPurchases(purchases)
  const isFinding = failed.length >= LIMITS.undeliveredPurchases
  const last = isFinding ? failed.at(-1) : countedPurchases(findings).at(-1)
  const reason = whyUnbuyable(findings, facts)
  if (last === undefined)
    return { ...NEVER_BOUGHT, status: reason === null ? 'never_bought' : 'cannot_be_bought', reason }
  if (last.delivered && !paysOnly(findings, facts, last.payTo))
    return reason === null
      ? { ...NEVER_BOUGHT, reason: 'receivers_differ' }
      : { ...NEVER_BOUGHT, status: 'cannot_be_bought', reason }
  const month = toDate(last.at).slice(0, 7)
  return last.delivered
    ? { status: 'delivered', month, paidUsd: paidUsd(last), reason }
    : { status: 'failed', month, paidUsd: null, reason }
}

/** Whether every offer pays a receiver. A delivery vouches for nobody else; receivers that rotate cannot be compared. */
function paysOnly({ rotation }: Findings, { terms }: DeliveryFacts, receiver: string): boolean {
  return rotation !== null || terms.every(({ payTo }) => sameAddress(payTo, receiver))
}

/** Returns the settled purchases that verdicts show and that vouch for the current receiver, oldest first. */
export function countedPurchases({ purchases, rotation, terms, now }: Findings): readonly Purchase[] {
  // A purchase from another receiver says nothing of this one. Sellers with a receiver for each payment have none to compare.
  const isOwn = ({ payTo }: Purchase) =>
    rotation !== null || terms.length === 0 || terms.some((term) => sameAddress(term.payTo, payTo))
  return decidingPurchases(purchases).filter(
    (purchase, index, all) =>
      isShown(purchase, now) &&
      !isConfirmation(purchase, all[index - 1]) &&
      purchase.at > now - LIMITS.deliveryMemoryMs &&
      isOwn(purchase),
  )
}

/** Whether a delivery is the first after a failure: the seller may have seen the repetition come. The next one counts. */
const isConfirmation = ({ delivered }: Purchase, before: Purchase | undefined) =>
  delivered && before?.delivered === false

/** Whether verdicts show a purchase: from a drawn time on, so that a seller cannot tell which payment was the test. */
export const isShown = ({ shownFrom = 0 }: Purchase, now: Time): boolean => shownFrom <= now

/** Whether a purchase was paid and not delivered. A 4xx counts only if the host itself declares the input that was sent. */
export function isUndelivered(purchase: Purchase): boolean {
  return purchase.settled && !purchase.delivered && (purchase.hasInput === true || !isChargedError(purchase))
}

/** Whether a purchase was paid and answered with an error about the request. A 402 asks for a second payment instead. */
export function isChargedError({ settled, delivered, httpStatus = null }: Purchase): boolean {
  const isError = httpStatus !== null && httpStatus >= 400 && httpStatus < 500 && httpStatus !== 402
  return settled && !delivered && isError
}

/** Returns settled test purchases without a delivery since the last delivery. */
export function undeliveredPurchases(purchases: readonly Purchase[]): readonly Purchase[] {
  const deciding = decidingPurchases(purchases)
  return deciding.slice(deciding.findLastIndex(({ delivered }) => delivered) + 1)
}

/** Returns the purchases that say whether the seller delivers. */
function decidingPurchases(purchases: readonly Purchase[]): readonly Purchase[] {
  return purchases.filter((purchase) => purchase.settled && (purchase.delivered || isUndelivered(purchase)))
}

/** Returns the shown purchases of recent weeks that were paid and answered with an error about the request. */
export function chargedErrors({ purchases, now }: Findings): readonly Purchase[] {
  return purchases.filter(
    (purchase) =>
      isChargedError(purchase) && isShown(purchase, now) && purchase.at > now - LIMITS.chargedErrorMs,
  )
}

/** Whether a call at a price was delivered: for at least a third of that price. */
export function isDeliveredAt(findings: Findings, priceUsd: number): boolean {
  const last = countedPurchases(findings).at(-1)
  return last?.delivered === true && DELIVERY_PRICE_FACTOR * (paidUsd(last) ?? 0) >= priceUsd
}

/** Returns the dollars of a purchase, which is always paid in the USDC of its network. */
function paidUsd({ network, amountAtomic }: Purchase): number | null {
  return toUsd({ network, asset: findNetwork(network)?.usdc ?? '', amountAtomic })
}

/** Returns why the shopper cannot buy from an endpoint, the first reason in their order; null if it can. */
function whyUnbuyable(findings: Findings, facts: DeliveryFacts): UnbuyableReason | null {
  return UNBUYABLE_CODES.find((code) => RULES_OUT[code](findings, facts)) ?? null
}

/** Codes in the order in which they rule out. */
export const UNBUYABLE_CODES = Object.keys(UNBUYABLE_REASONS) as readonly UnbuyableReason[]

const RULES_OUT: Readonly<Record<UnbuyableReason, (findings: Findings, facts: DeliveryFacts) => boolean>> = {
  no_shopper: ({ shopping = null }) => shopping === null,
  opted_out: ({ observations }) => observations.at(-1)?.cause === 'opted_out',
  not_live: (_, { status }) => status !== 'live',
  not_declared: ({ listings }) => whyUndeclared(listings) === 'not_declared',
  input_open: ({ listings }) => whyUndeclared(listings) === 'input_open',
  // A purchase would be the receiver's first payment, and clear the flag.
  never_paid: (_, { flags }) => flags.includes('receiver_never_paid'),
  // Only a purchase can clear `no_delivery`.
  high_risk: (_, { flags }) =>
    flags.some((flag) => flag !== 'no_delivery' && FLAG_RECORDS[flag].risk === 'high'),
  not_payable: ({ shopping }, { terms }) =>
    shopping != null && buyablePrice(terms, shopping.network) === null,
  price_above_limit: ({ shopping }, { terms }) =>
    shopping != null && (buyablePrice(terms, shopping.network) ?? 0) > shopping.perCallUsd,
  // Rules out no purchase: {@link findDelivery} says it of one that was made.
  receivers_differ: () => false,
}

/** Returns why the host's own documents do not declare a call; null if they do. Directory listings may come from anyone. */
export function whyUndeclared(listings: readonly Listing[]): 'not_declared' | 'input_open' | null {
  const own = listings.filter(isDeclaredByHost)
  if (own.length === 0) return 'not_declared'
  return own.some(({ url }) => isTemplate(url)) ? 'input_open' : null
}

/** Returns the lowest price in dollars of an exact offer in USDC on a network; null without one. */
export function buyablePrice(terms: readonly Term[], network: string): number | null {
  const prices = payablePrices(terms, network)
  return prices.length === 0 ? null : Math.min(...prices)
}

/** Returns the prices in dollars of the exact offers in USDC on a network. */
export function payablePrices(terms: readonly Term[], network: string): number[] {
  return terms
    .filter(
      (term) => term.scheme === 'exact' && term.network === network && isCanonicalUsdc(network, term.asset),
    )
    .flatMap(({ asset, amountAtomicMax }) => toUsd({ network, asset, amountAtomic: amountAtomicMax }) ?? [])
}
