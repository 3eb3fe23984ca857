import {
  BASE,
  type Flag,
  findKnownNetwork,
  isBurnAddress,
  isOfficialAsset,
  sameAddress,
  UNPAYABLE,
} from '@touchstone402/shared'
import type { Listing, Observation, ObservedOffer, Purchase } from '../facts/facts.ts'
import { fitOf } from './conformance.ts'
import type { Evidence } from './evidence.ts'
import { hasDrift, highestUsd, isHigh } from './memory/prices.ts'
import {
  isElsewhere,
  isOfficial,
  isOnMainnet,
  mainOffer,
  pricedOffers,
  unpayableOf,
  vouchedOffers,
} from './offers.ts'
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
  const { measured } = evidence.looks
  /** A flag needs two probes in a row: a single odd probe raises nothing. */
  const ifBoth = <T extends { readonly id: string }>(
    found: readonly T[],
    test: (probe: T) => boolean,
  ): Grounds => (found.length > 0 && found.every(test) ? found : null)
  const ifLatest = (test: (probe: Observation) => boolean) => ifBoth(latest, test)
  const isUnofficial =
    ifLatest(
      (probe) => !pricedOffers(probe).some(isOfficial) && !isElsewhere(probe) && probe.offers.length > 0,
    ) !== null
  const ifOffered = (test: (offer: ObservedOffer) => boolean) =>
    ifLatest((probe) => vouchedOffers(probe).some(test))
  const ifOnlyOffered = (test: (offer: ObservedOffer) => boolean) => (isUnofficial ? ifOffered(test) : null)
  const price = evidence.prices.at(-1)
  const priced = price === undefined ? [] : latest.slice(-1)
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
    ['payment_unsupported', ifLatest(isUnsupported)],
    ['receiver_unverified', ifOffered(hasInvalidReceiver)],
    ['receiver_unverified', ifBoth(measured, ({ isMalformed }) => isMalformed)],
    ['price_bait', bait === null ? null : [bait.first, bait.last, bait.listing]],
    [
      'price_drift',
      price !== undefined && bait === null && hasDrift(price, latestListings)
        ? [...priced, ...latestListings]
        : null,
    ],
    ['price_high', priced.some((probe) => isHigh(highestUsd(probe), evidence.comparable)) ? priced : null],
    ['flaky', isFlaky(evidence.lowestUptime) ? [] : null],
    ['receiver_sanctioned', findSanctioned(evidence)],
    ['receiver_never_paid', receiver !== undefined && isNeverPaid(evidence) ? [receiver] : null],
    ['no_delivery', undelivered.length >= LIMITS.undeliveredPurchases ? undelivered : null],
    ['unverifiable', isUnverifiable(evidence) ? (control?.outcome === 'up' ? [control] : latest) : null],
  ]
  const reason = latest
    .slice(-1)
    .flatMap(pricedOffers)
    .filter(isOfficial)
    .map(unpayableOf)
    .find((found) => found !== null)
  return grounds.flatMap(([flag, found]) =>
    found === null
      ? []
      : [
          {
            flag,
            evidence: found.map(({ id }) => id),
            ...(flag === 'payment_unsupported' && reason !== undefined && { detail: UNPAYABLE[reason] }),
          },
        ],
  )
}

/** Returns settled test purchases without a delivery since the last delivery. */
export function undeliveredPurchases(purchases: readonly Purchase[]): readonly Purchase[] {
  const settled = purchases.filter((purchase) => purchase.settled)
  return settled.slice(settled.findLastIndex(({ delivered }) => delivered) + 1)
}

const isTestnet = ({ network }: ObservedOffer) => findKnownNetwork(network)?.testnet === true

/** Whether there are official offers, but none that the guard can pay. */
function isUnsupported(probe: Observation): boolean {
  const official = pricedOffers(probe).filter(isOfficial)
  return official.length > 0 && official.every((offer) => unpayableOf(offer) !== null)
}

const hasInvalidReceiver = ({ payTo, asset }: ObservedOffer) =>
  sameAddress(payTo, asset) || isBurnAddress(payTo)

/** Names facts by their ids. */
const named = (ids: readonly string[] | null): Grounds => ids?.map((id) => ({ id })) ?? null

function isUnverifiable({ control, latest, latestListings, endpoint }: Evidence): boolean {
  const last = latest.at(-1)
  const offer = last === undefined ? undefined : mainOffer(last)
  // Receivers are looked up on Base only. Test networks have their own flag.
  const isUnread = offer !== undefined && offer.network !== BASE && !isTestnet(offer)
  const declares = ({ declaresOutput }: Observation | Listing) => declaresOutput
  const hidesAnswer = !latest.some(declares) && !latestListings.some(declares)
  const isPrivate = latest.every((probe) => fitOf(probe, endpoint) === 'private')
  return latest.length > 0 && (control?.outcome === 'up' || isUnread || hidesAnswer || isPrivate)
}
