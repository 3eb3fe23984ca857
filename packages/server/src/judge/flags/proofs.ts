import { BASE, type Flag, findKnownNetwork } from '@touchstone402/shared'
import { formatDollars } from '../../facts/dollars.ts'
import type { Listing, Observation } from '../../facts/facts.ts'
import { fitOf } from '../conformance.ts'
import { chargedErrors, isDeliveredAt, undeliveredPurchases } from '../delivery.ts'
import type { Evidence } from '../evidence.ts'
import { isOnTestnet, mainOffer, signableOffers } from '../offers.ts'
import { dearestOffer, toUsd } from '../prices.ts'
import { findSanctioned, isNeverPaid } from '../receivers.ts'
import { days, LIMITS } from '../spec.ts'
import type { FlagRule } from './flagRule.ts'
import { AT_NEXT, cut, labelOf, mainOfLast, on } from './words.ts'

/** Flags of what can be proven of it: on chain, by a purchase, by a path that does not exist. */
export const PROOFS = {
  receiver_sanctioned: {
    meaning: 'The sanctions oracle of the network lists the receiver.',
    fix: 'Name a receiver that is not listed.',
    raise(evidence) {
      const found = findSanctioned(evidence)
      return found === null ? [] : [found]
    },
    describe({ latest, recordsOf }) {
      const listed = latest
        .flatMap(signableOffers)
        .flatMap(({ network, payTo }) => recordsOf(network, payTo))
        .findLast(({ sanctions }) => sanctions?.isListed === true)
      return `${listed?.sanctions?.contract ?? 'The oracle'} listed ${listed?.address ?? 'the receiver'} at block ${listed?.blockNumber ?? 0}. Clears when it denies that.`
    },
    needs: {
      isThere: (_, { receiver }) => (receiver?.sanctions?.isListed ?? null) !== null,
      lacks: 'the sanctions oracle gave no answer',
    },
  },
  receiver_never_paid: {
    meaning: `The receiver never received USDC in the whole history of the chain, all offers are in USDC to it, and the listing has claimed at least ${LIMITS.neverPaidCalls} calls for over ${days(LIMITS.neverPaidListingAgeMs)}.`,
    fix: 'Correct the claim, or name the receiver that was paid.',
    raise: (evidence) =>
      evidence.receiver !== undefined && isNeverPaid(evidence) ? [[evidence.receiver]] : [],
    describe({ receiver, listings }) {
      const claim = listings.findLast(({ claims }) => (claims.calls ?? 0) >= LIMITS.neverPaidCalls)
      return `${receiver?.address ?? 'The receiver'} had no USDC receipts up to block ${receiver?.blockNumber ?? 0}; ${cut(claim?.directory ?? 'a listing')} says ${claim?.claims.calls ?? 0} calls. Clears with its first receipt.`
    },
    needs: {
      isThere: ({ listings }, { receiver }) =>
        receiver !== undefined && listings.some(({ claims }) => claims.calls !== null),
      lacks: 'no listing claims calls, or the receiver was not read on chain',
    },
  },
  no_delivery: {
    meaning: `${LIMITS.undeliveredPurchases} test purchases in a row settled without a delivery.`,
    fix: 'Deliver before or with settlement; if delivery fails, return an error without settling.',
    raise({ purchases }) {
      const undelivered = undeliveredPurchases(purchases)
      return undelivered.length >= LIMITS.undeliveredPurchases ? [undelivered] : []
    },
    describe({ purchases }, ids) {
      const found = undeliveredPurchases(purchases).filter(({ id }) => ids.includes(id))
      const last = found.at(-1)
      return `${found.length} test purchases settled without a delivery, the last of ${last?.amountAtomic ?? 0} atomic units on ${on(last?.at ?? 0)} in ${last?.txHash ?? 'no transaction'}. Clears with the next one that is delivered.`
    },
    isPerFinding: true,
    needs: { isThere: (_, { purchases }) => purchases > 0, lacks: 'no test purchase was made yet' },
  },
  charges_errors: {
    meaning: `${LIMITS.chargedErrors} test purchases within ${days(LIMITS.chargedErrorMs)} settled and were answered with a 4xx error other than 402.`,
    fix: 'Check the request before settlement, and return errors without settling.',
    raise(evidence) {
      const charged = chargedErrors(evidence)
      return charged.length >= LIMITS.chargedErrors ? [charged] : []
    },
    describe(evidence) {
      const charged = chargedErrors(evidence)
      const last = charged.at(-1)
      const clears = charged.at(-LIMITS.chargedErrors)?.at ?? 0
      return `${charged.length} test purchases within ${days(LIMITS.chargedErrorMs)} settled and were answered with an error, the last with status ${last?.httpStatus ?? 0} for ${last?.amountAtomic ?? 0} atomic units on ${on(last?.at ?? 0)} in ${last?.txHash ?? 'no transaction'}. Clears on ${on(clears + LIMITS.chargedErrorMs)} if no other one follows.`
    },
    needs: { isThere: (_, { purchases }) => purchases > 0, lacks: 'no test purchase was made yet' },
  },
  unproven: {
    meaning: `A call costs more than $${LIMITS.unprovenAboveUsd}, no test purchase of at least a third of the price was delivered, and the receiver is not established.`,
    fix: 'Fund a test purchase in advance: the owner page of your host shows the amount and the address.',
    raise(evidence) {
      const { latest } = evidence
      const price = unprovenPrice(evidence)
      return price === null ? [] : [latest]
    },
    describe(evidence) {
      const { host, receiver } = evidence
      const price = unprovenPrice(evidence) ?? 0
      const category = receiver === undefined ? 'not known' : receiver.category
      return `A call costs ${formatDollars(price)}, no test purchase of at least a third of that was delivered, and the receiver is ${category} on chain. Clears when such a purchase is delivered, which a seller may fund in advance (/owners/${encodeURIComponent(host)}), when the receiver is established, or when a call costs at most $${LIMITS.unprovenAboveUsd}.`
    },
  },
  unverifiable: {
    meaning:
      'The response schema is not declared, or the receiver is on a network that is not looked up, or the resource is on a private network such as localhost, or the host answers 402 on any path.',
    fix: 'Declare the response schema in the challenge, name the requested URL as `resource`, answer 404 on unknown paths, and offer payment on Base.',
    raise(evidence) {
      const { control, latest } = evidence
      if (!isUnverifiable(evidence)) return []
      return control?.outcome === 'up' ? [[control]] : [latest]
    },
    describe({ control, latest }) {
      const offer = mainOfLast(latest)
      if (control?.outcome === 'up') return `A path that does not exist answered 402 too. ${AT_NEXT}`
      if (offer !== undefined && findKnownNetwork(offer.network)?.caip2 !== BASE)
        return `The receiver is on ${labelOf(offer.network)}, where receivers are not looked up. Clears with an offer on Base.`
      return `Neither the challenge nor a listing describes the response, or the challenge names a private host. ${AT_NEXT}`
    },
  },
} as const satisfies Partial<Record<Flag, FlagRule>>

/** Returns the dearest price of an endpoint if it needs a proof and has none; otherwise null. */
function unprovenPrice(evidence: Evidence): number | null {
  const prices = evidence.latest.map((probe) => dearestOffer(probe)?.usd ?? 0)
  // The dearest of the signed terms too, so that no price hides among those that a lot gives out.
  const signed = evidence.terms.map((term) => toUsd({ ...term, amountAtomic: term.amountAtomicMax }) ?? 0)
  // A single odd probe raises nothing.
  const price = prices.length === 0 ? null : Math.max(Math.min(...prices), ...signed)
  if (price === null || price <= LIMITS.unprovenAboveUsd) return null
  if (evidence.receiver?.category === 'established' || isDeliveredAt(evidence, price)) return null
  return price
}

function isUnverifiable({ control, latest, latestListings, endpoint }: Evidence): boolean {
  const last = latest.at(-1)
  const offer = last && mainOffer(last)
  // Receivers are looked up on Base only. Test networks have their own flag.
  const isUnread = offer !== undefined && offer.network !== BASE && !isOnTestnet(offer)
  const declares = ({ declaresOutput }: Observation | Listing) => declaresOutput
  const hidesAnswer = !latest.some(declares) && !latestListings.some(declares)
  const isPrivate = latest.every((probe) => fitOf(probe, endpoint) === 'private')
  return latest.length > 0 && (control?.outcome === 'up' || isUnread || hidesAnswer || isPrivate)
}
