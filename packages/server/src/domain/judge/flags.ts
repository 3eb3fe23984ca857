import {
  BASE,
  type Flag,
  findNetwork,
  isBurnAddress,
  isCanonicalUsdc,
  sameAddress,
} from '@touchstone402/shared'
import type { Listing, Observation, ObservedOffer, Purchase } from '../facts/facts.ts'
import { findCloaking } from './clients.ts'
import type { Evidence } from './evidence.ts'
import { isAcceptable, judgedOffers, mainOffer } from './offers.ts'
import { hasDrift, isHigh } from './prices.ts'
import { findSanctioned, isNeverPaid } from './receivers.ts'
import { LIMITS } from './spec.ts'
import { isFlaky } from './uptime.ts'

/** A flag and the ids of the facts that raised it. */
export type RaisedFlag = { readonly flag: Flag; readonly evidence: readonly string[] }

/** The facts that raise a flag; null if it is not raised. */
type Grounds = readonly { readonly id: string }[] | null

/** Raises every flag that the evidence supports, in no particular order. */
export function raiseFlags(evidence: Evidence): RaisedFlag[] {
  const { probes, observations, latestListings, rotation, swap, bait, control, receiver, now } = evidence
  const latest = probes.slice(-2)
  const measured = observations.filter(({ outcome }) => outcome !== 'not_measured').slice(-2)
  /** A flag needs two probes in a row: a single odd probe raises nothing. */
  const ifBoth = (found: readonly Observation[], test: (probe: Observation) => boolean): Grounds =>
    found.length > 0 && found.every(test) ? found : null
  const ifLatest = (test: (probe: Observation) => boolean) => ifBoth(latest, test)
  const isUnacceptable = ifLatest(({ offers }) => offers.length > 0 && !offers.some(isAcceptable)) !== null
  const ifOffered = (test: (offer: ObservedOffer) => boolean) =>
    ifLatest((probe) => judgedOffers(probe).some(test))
  const ifOnlyOffered = (test: (offer: ObservedOffer) => boolean) => (isUnacceptable ? ifOffered(test) : null)
  const price = evidence.prices.at(-1)
  const priced = price?.probes.slice(-1) ?? []
  const undelivered = undeliveredPurchases(evidence.purchases)

  const grounds: readonly (readonly [Flag, Grounds])[] = [
    ['payto_rotates', rotation],
    ['cloaked', rotation === null ? findCloaking(probes, now) : null],
    ['payto_changed', swap === null ? null : swap.after.probes.slice(0, 2)],
    ['terms_disagree', ifLatest(({ disagreements }) => disagreements.length > 0)],
    ['network_testnet', ifOnlyOffered(isTestnet)],
    [
      'asset_unknown',
      ifOnlyOffered((offer) => !isTestnet(offer) && !isCanonicalUsdc(offer.network, offer.asset)),
    ],
    ['scheme_unsafe', ifOnlyOffered((offer) => offer.scheme !== 'exact' || offer.unsafeFlow !== null)],
    ['receiver_unverified', ifOffered(hasInvalidReceiver)],
    ['receiver_unverified', ifBoth(measured, hasMalformedReceiver)],
    [
      'price_bait',
      bait === null ? null : [...bait.probes.slice(0, 1), ...bait.probes.slice(-1), bait.listing],
    ],
    [
      'price_drift',
      price !== undefined && bait === null && hasDrift(price, latestListings)
        ? [...priced, ...latestListings]
        : null,
    ],
    ['price_high', price?.priceUsd != null && isHigh(price.priceUsd, evidence.comparable) ? priced : null],
    ['flaky', isFlaky(evidence.lowestUptime) ? [] : null],
    ['receiver_sanctioned', findSanctioned(evidence)],
    ['receiver_never_paid', receiver !== undefined && isNeverPaid(evidence) ? [receiver] : null],
    ['no_delivery', undelivered.length >= LIMITS.undeliveredPurchases ? undelivered : null],
    ['unverifiable', isUnverifiable(evidence) ? (control?.outcome === 'up' ? [control] : latest) : null],
  ]
  return grounds.flatMap(([flag, found]) =>
    found === null ? [] : [{ flag, evidence: found.map(({ id }) => id) }],
  )
}

/** Returns settled test purchases without a delivery since the last delivery. */
export function undeliveredPurchases(purchases: readonly Purchase[]): readonly Purchase[] {
  const settled = purchases.filter((purchase) => purchase.settled)
  return settled.slice(settled.findLastIndex(({ delivered }) => delivered) + 1)
}

const isTestnet = ({ network }: ObservedOffer) => findNetwork(network)?.testnet === true

const hasInvalidReceiver = ({ payTo, asset }: ObservedOffer) =>
  sameAddress(payTo, asset) || isBurnAddress(payTo)

const hasMalformedReceiver = ({ offers, problems }: Observation) =>
  offers.length === 0 && problems.includes('payto_malformed')

function isUnverifiable({ control, probes, latestListings }: Evidence): boolean {
  const latest = probes.slice(-2)
  const last = latest.at(-1)
  const offer = last === undefined ? undefined : mainOffer(last)
  // Receivers are looked up on Base only. Test networks have their own flag.
  const isElsewhere = offer !== undefined && offer.network !== BASE && !isTestnet(offer)
  const declares = ({ declaresOutput }: Observation | Listing) => declaresOutput
  const hidesAnswer = latest.length > 0 && !latest.some(declares) && !latestListings.some(declares)
  return control?.outcome === 'up' || isElsewhere || hidesAnswer
}
