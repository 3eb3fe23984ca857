import {
  BASE,
  type Flag,
  isBurnAddress,
  isOfficialAsset,
  sameAddress,
  type Unpayable,
} from '@touchstone402/shared'
import {
  isDeclaredByHost,
  type Listing,
  type Observation,
  type ObservedOffer,
  type Purchase,
} from '../facts/facts.ts'
import type { CategoryPrice } from '../facts/hostDocument.ts'
import { fitOf } from './conformance.ts'
import type { Evidence } from './evidence.ts'
import {
  isAcceptable,
  isElsewhere,
  isFree,
  isIssuedElsewhere,
  isOfficial,
  isOnMainnet,
  isOnTestnet,
  mainOffer,
  pricedOffers,
  takenOffers,
  unpayableOf,
  vouchedOffers,
} from './offers.ts'
import { askedUsd, dearestOffer, hasDrift, isHigh, toUsd } from './prices.ts'
import { isVaried } from './ranges.ts'
import { findSanctioned, isNeverPaid } from './receivers.ts'
import { OTHER_INPUT } from './refusals.ts'
import { LIMITS } from './spec.ts'
import { isFlaky } from './uptime.ts'

/** A flag, and the ids of the facts that raised it. */
export type RaisedFlag = { readonly flag: Flag; readonly evidence: readonly string[] }

/** The facts that raise a flag; null if it is not raised. */
type Grounds = readonly { readonly id: string }[] | null

/** Raises every flag that the evidence supports, in no particular order. */
export function raiseFlags(evidence: Evidence): RaisedFlag[] {
  const { latest, latestListings, rotation, swap, bait, control, receiver } = evidence
  const measured = evidence.observations.filter(({ outcome }) => outcome !== 'not_measured').slice(-2)
  /** A flag needs two probes in a row: a single odd probe raises nothing. */
  const ifBoth = (found: readonly Observation[], test: (probe: Observation) => boolean): Grounds =>
    found.length > 0 && found.every(test) ? found : null
  const ifLatest = (test: (probe: Observation) => boolean) => ifBoth(latest, test)
  const ifOffered = (test: (offer: ObservedOffer) => boolean) =>
    ifLatest((probe) => vouchedOffers(probe).some(test))
  const ifOnlyOffered = (test: (offer: ObservedOffer) => boolean) =>
    latest.every(isUnofficial) ? ifOffered(test) : null
  const failed = evidence.observations
    .filter(({ outcome }) => outcome === 'down')
    .slice(-LIMITS.darkAfterDowns)
  const last = latest.slice(-1)
  const slow = evidence.probes.slice(-LIMITS.slowProbes)
  const { added, accused } = evidence
  const isDrift = bait === null && last.some((probe) => hasDrift(askedUsd(probe), latestListings))
  const undelivered = undeliveredPurchases(evidence.purchases)

  const grounds: readonly (readonly [Flag, Grounds])[] = [
    ['payto_rotates', evidence.isSigned ? null : named(rotation)],
    ['cloaked', named(evidence.cloaking)],
    ['payto_changed', named(swap?.after.ids ?? null)],
    ['terms_disagree', ifLatest(({ disagreements }) => disagreements.length > 0)],
    ['terms_disagree', named(evidence.cacheLag)],
    ['protocols_disagree', ifLatest(({ problems }) => problems.includes('protocols_disagree'))],
    ['resource_mismatch', ifLatest((probe) => fitOf(probe, evidence.endpoint) === 'foreign')],
    ['network_testnet', ifOnlyOffered(isOnTestnet)],
    [
      'asset_unknown',
      ifOnlyOffered(
        (offer) =>
          isOnMainnet(offer) && !isIssuedElsewhere(offer) && !isOfficialAsset(offer.network, offer.asset),
      ),
    ],
    ['scheme_unsafe', ifOnlyOffered((offer) => offer.unsafeFlow !== null)],
    ['payment_unsupported', ifLatest((probe) => whyUnsupported(probe) !== undefined)],
    ['unpayable_by_stock', ifLatest(isRefusedByStock)],
    ['price_unknown', ifLatest(hasNoPrice)],
    ...(['terms_new', 'terms_unproven'] as const).map((flag): readonly [Flag, Grounds] => [
      flag,
      named(idsOf(added.filter((one) => one.flag === flag && one.ids.length > 1))),
    ]),
    [
      'slow',
      slow.length === LIMITS.slowProbes
        ? ifBoth(slow, ({ latencyMs }) => (latencyMs ?? 0) >= LIMITS.slowMs)
        : null,
    ],
    ['price_varies', named(idsOf(evidence.ranges.filter(isVaried)))],
    ['receiver_differs_from_listing', findOtherClaim(evidence) === undefined ? null : last],
    ...accused.map(({ flag, accusation }): readonly [Flag, Grounds] => [
      flag,
      [{ id: accusation.incident }, ...last],
    ]),
    ['receiver_unverified', ifOffered(hasInvalidReceiver)],
    ['receiver_unverified', ifBoth(measured, isMalformed)],
    ['price_bait', bait === null ? null : [bait.first, bait.last, bait.listing]],
    ['price_drift', isDrift ? [...last, ...latestListings] : null],
    ['price_high', ifDear(last, evidence.comparable)],
    ['flaky', isFlaky(evidence.lowestUptime) ? failed : null],
    ['receiver_sanctioned', findSanctioned(evidence)],
    ['receiver_never_paid', receiver !== undefined && isNeverPaid(evidence) ? [receiver] : null],
    ['no_delivery', undelivered.length >= LIMITS.undeliveredPurchases ? undelivered : null],
    ['unverifiable', isUnverifiable(evidence) ? (control?.outcome === 'up' ? [control] : latest) : null],
  ]
  return grounds.flatMap(([flag, found]) =>
    found === null ? [] : { flag, evidence: found.map(({ id }) => id) },
  )
}

/** Returns the seller's own claim of another receiver than its challenges name on that network; undefined if there is none. */
export function findOtherClaim({ latestListings, latest, rotation }: Evidence): Listing | undefined {
  if (latest.length === 0 || rotation !== null) return undefined
  return latestListings.filter(isDeclaredByHost).find(({ claims: { network, payTo } }) => {
    if (network === null || payTo === null) return false
    return latest.every((probe) => {
      const there = pricedOffers(probe).filter((offer) => offer.network === network)
      return there.length > 0 && !there.some((offer) => sameAddress(offer.payTo, payTo))
    })
  })
}

const idsOf = (found: readonly { readonly ids: readonly string[] }[]): readonly string[] | null =>
  found.length === 0 ? null : [...new Set(found.flatMap(({ ids }) => ids))]

function ifDear(last: readonly Observation[], comparable: CategoryPrice | undefined): Grounds {
  const isDear = last.some((probe) => isHigh(dearestOffer(probe)?.usd ?? 0, comparable))
  return isDear ? last : null
}

function isRefusedByStock(probe: Observation): boolean {
  const acceptable = pricedOffers(probe).filter(isAcceptable)
  return acceptable.length > 0 && acceptable.every(({ stockRefuses }) => stockRefuses !== undefined)
}

const hasNoPrice = (probe: Observation) =>
  takenOffers(probe).every((offer) => !isFree(offer) && isOnMainnet(offer) && toUsd(offer) === null)

/** Returns settled test purchases without a delivery since the last delivery. */
export function undeliveredPurchases(purchases: readonly Purchase[]): readonly Purchase[] {
  const settled = purchases.filter((purchase) => purchase.settled && !wantsOtherInput(purchase))
  return settled.slice(settled.findLastIndex(({ delivered }) => delivered) + 1)
}

/** Whether the seller wanted other input than was sent, which its documents do not declare: a caller would know it. */
const wantsOtherInput = ({ httpStatus = null, hasInput }: Purchase) =>
  hasInput !== true && (OTHER_INPUT.has(httpStatus) || httpStatus === 404)

const isUnofficial = (probe: Observation) => !isElsewhere(probe) && !pricedOffers(probe).some(isOfficial)

/** Returns why the guard cannot pay the first official offer; undefined if it can pay one, or there is none. */
export function whyUnsupported(probe: Observation): Unpayable | undefined {
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
  const isUnread = offer !== undefined && offer.network !== BASE && !isOnTestnet(offer)
  const declares = ({ declaresOutput }: Observation | Listing) => declaresOutput
  const hidesAnswer = !latest.some(declares) && !latestListings.some(declares)
  const isPrivate = latest.every((probe) => fitOf(probe, endpoint) === 'private')
  return latest.length > 0 && (control?.outcome === 'up' || isUnread || hidesAnswer || isPrivate)
}
