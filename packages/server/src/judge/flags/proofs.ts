import { BASE, type Flag, findKnownNetwork } from '@touchstone402/shared'
import type { Listing, Observation, Purchase } from '../../facts/facts.ts'
import { fitOf } from '../conformance.ts'
import type { Evidence } from '../evidence.ts'
import { isOnTestnet, mainOffer, signableOffers } from '../offers.ts'
import { findSanctioned, isNeverPaid } from '../receivers.ts'
import { OTHER_INPUT } from '../refusals.ts'
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
    needs: { isThere: (_, { purchases }) => purchases > 0, lacks: 'no purchase yet' },
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

/** Returns settled test purchases without a delivery since the last delivery. */
export function undeliveredPurchases(purchases: readonly Purchase[]): readonly Purchase[] {
  const settled = purchases.filter((purchase) => purchase.settled && !wantsOtherInput(purchase))
  return settled.slice(settled.findLastIndex(({ delivered }) => delivered) + 1)
}

/** Whether the seller wanted other input than was sent, which its documents do not declare: a caller would know it. */
const wantsOtherInput = ({ httpStatus = null, hasInput }: Purchase) =>
  hasInput !== true && (OTHER_INPUT.has(httpStatus) || httpStatus === 404)

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
