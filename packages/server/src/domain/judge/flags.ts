import {
  BASE,
  type Flag,
  findKnownNetwork,
  isBurnAddress,
  isOfficialAsset,
  sameAddress,
  UNPAYABLE,
  type Unpayable,
} from '@touchstone402/shared'
import type { Listing, Observation, ObservedOffer, Purchase } from '../facts/facts.ts'
import { fitOf } from './conformance.ts'
import type { Evidence } from './evidence.ts'
import {
  isElsewhere,
  isOfficial,
  isOnMainnet,
  mainOffer,
  pricedOffers,
  unpayableOf,
  vouchedOffers,
} from './offers.ts'
import { askedUsd, hasDrift, highestUsd, isHigh } from './prices.ts'
import { findSanctioned, isNeverPaid } from './receivers.ts'
import { LIMITS } from './spec.ts'
import { isFlaky } from './uptime.ts'

/** A flag, the ids of the facts that raised it, and one more sentence on why. */
export type RaisedFlag = {
  readonly flag: Flag
  readonly evidence: readonly string[]
  readonly detail?: string
}

/** The facts that raise a flag; null if it is not raised. */
type Grounds = readonly { readonly id: string }[] | null

/** Raises every flag that the evidence supports, in no particular order. */
export function raiseFlags(evidence: Evidence): RaisedFlag[] {
  const { latest, latestListings, rotation, swap, bait, control, receiver } = evidence
  const measured = evidence.looks.filter(({ outcome }) => outcome !== 'not_measured').slice(-2)
  /** A flag needs two probes in a row: a single odd probe raises nothing. */
  const ifBoth = (found: readonly Observation[], test: (probe: Observation) => boolean): Grounds =>
    found.length > 0 && found.every(test) ? found : null
  const ifLatest = (test: (probe: Observation) => boolean) => ifBoth(latest, test)
  const ifOffered = (test: (offer: ObservedOffer) => boolean) =>
    ifLatest((probe) => vouchedOffers(probe).some(test))
  const ifOnlyOffered = (test: (offer: ObservedOffer) => boolean) =>
    latest.every(isUnofficial) ? ifOffered(test) : null
  const last = latest.slice(-1)
  const isDrift = bait === null && last.some((probe) => hasDrift(askedUsd(probe), latestListings))
  const undelivered = undeliveredPurchases(evidence.purchases)

  const grounds: readonly (readonly [Flag, Grounds])[] = [
    ['payto_rotates', named(rotation)],
    ['cloaked', named(evidence.cloaking)],
    ['payto_changed', named(swap?.after.ids ?? null)],
    ['terms_disagree', ifLatest(({ disagreements }) => disagreements.length > 0)],
    ['terms_disagree', named(evidence.cacheLag)],
    ['protocols_disagree', ifLatest(({ problems }) => problems.includes('protocols_disagree'))],
    ['resource_mismatch', ifLatest((probe) => fitOf(probe, evidence.endpoint) === 'foreign')],
    ['network_testnet', ifOnlyOffered(isTestnet)],
    [
      'asset_unknown',
      ifOnlyOffered((offer) => isOnMainnet(offer) && !isOfficialAsset(offer.network, offer.asset)),
    ],
    ['scheme_unsafe', ifOnlyOffered((offer) => offer.unsafeFlow !== null)],
    ['payment_unsupported', ifLatest((probe) => whyUnsupported(probe) !== undefined)],
    ['receiver_unverified', ifOffered(hasInvalidReceiver)],
    ['receiver_unverified', ifBoth(measured, isMalformed)],
    ['price_bait', bait === null ? null : [bait.first, bait.last, bait.listing]],
    ['price_drift', isDrift ? [...last, ...latestListings] : null],
    ['price_high', last.some((probe) => isHigh(highestUsd(probe), evidence.comparable)) ? last : null],
    ['flaky', isFlaky(evidence.lowestUptime) ? [] : null],
    ['receiver_sanctioned', findSanctioned(evidence)],
    ['receiver_never_paid', receiver !== undefined && isNeverPaid(evidence) ? [receiver] : null],
    ['no_delivery', undelivered.length >= LIMITS.undeliveredPurchases ? undelivered : null],
    ['unverifiable', isUnverifiable(evidence) ? (control?.outcome === 'up' ? [control] : latest) : null],
  ]
  return grounds.flatMap(([flag, found]) => {
    if (found === null) return []
    const unpayable = flag === 'payment_unsupported' ? last.map(whyUnsupported)[0] : undefined
    return {
      flag,
      evidence: found.map(({ id }) => id),
      ...(unpayable !== undefined && { detail: UNPAYABLE[unpayable] }),
    }
  })
}

/** Returns settled test purchases without a delivery since the last delivery. */
export function undeliveredPurchases(purchases: readonly Purchase[]): readonly Purchase[] {
  const settled = purchases.filter((purchase) => purchase.settled)
  return settled.slice(settled.findLastIndex(({ delivered }) => delivered) + 1)
}

const isUnofficial = (probe: Observation) => !isElsewhere(probe) && !pricedOffers(probe).some(isOfficial)

const isTestnet = ({ network }: ObservedOffer) => findKnownNetwork(network)?.testnet === true

/** Returns why the guard cannot pay the first official offer; undefined if it can pay one, or there is none. */
function whyUnsupported(probe: Observation): Unpayable | undefined {
  const reasons = pricedOffers(probe).filter(isOfficial).map(unpayableOf)
  return reasons.includes(null) ? undefined : (reasons[0] ?? undefined)
}

const isMalformed = ({ offers, problems }: Observation) =>
  offers.length === 0 && problems.includes('payto_malformed')

const hasInvalidReceiver = ({ payTo, asset }: ObservedOffer) =>
  sameAddress(payTo, asset) || isBurnAddress(payTo)

/** Names facts by their ids. */
const named = (ids: readonly string[] | null): Grounds => ids?.map((id) => ({ id })) ?? null

function isUnverifiable({ control, latest, latestListings, endpoint }: Evidence): boolean {
  const last = latest.at(-1)
  const offer = last && mainOffer(last)
  // Receivers are looked up on Base only. Test networks have their own flag.
  const isUnread = offer !== undefined && offer.network !== BASE && !isTestnet(offer)
  const declares = ({ declaresOutput }: Observation | Listing) => declaresOutput
  const hidesAnswer = !latest.some(declares) && !latestListings.some(declares)
  const isPrivate = latest.every((probe) => fitOf(probe, endpoint) === 'private')
  return latest.length > 0 && (control?.outcome === 'up' || isUnread || hidesAnswer || isPrivate)
}
