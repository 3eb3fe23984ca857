import {
  BASE,
  type Flag,
  findNetwork,
  isBurnAddress,
  isCanonicalUsdc,
  sameAddress,
} from '@touchstone402/shared'
import type {
  Announcement,
  Listing,
  Observation,
  ObservedOffer,
  Purchase,
  ReceiverRecord,
  Time,
} from '../facts/facts.ts'
import type { CategoryPrice } from '../facts/hostDocument.ts'
import { findCloaking, findDynamicPrice, findRotation } from './clients.ts'
import { type Epoch, isAnnounced } from './epochs.ts'
import { isAcceptable, judgedOffers, mainOffer } from './offers.ts'
import { findBait, hasDrift, isHigh, type PriceEpoch } from './prices.ts'
import { LIMITS } from './spec.ts'
import { isFlaky } from './uptime.ts'

/** What flags are raised from. */
export type FlagInput = {
  /** All looks, oldest first. */
  readonly observations: readonly Observation[]
  /** The successful ones among them. */
  readonly looks: readonly Observation[]
  /** The newest listing of each directory. */
  readonly listings: readonly Listing[]
  /** Every listing, older ones included. */
  readonly allListings: readonly Listing[]
  readonly epochs: readonly Epoch[]
  readonly prices: readonly PriceEpoch[]
  readonly announcements: readonly Announcement[]
  readonly purchases: readonly Purchase[]
  /** The newest chain record of the present receiver. */
  readonly receiver: ReceiverRecord | undefined
  readonly category: CategoryPrice | undefined
  /** Newest control look at a path of the host that should not exist. */
  readonly control: Observation | undefined
  readonly now: Time
}

/** A flag and the observations that raised it. */
export type RaisedFlag = { readonly flag: Flag; readonly evidence: readonly string[] }

/** Raises every flag that the evidence supports, in no order of weight. */
export function raiseFlags(input: FlagInput): RaisedFlag[] {
  const { looks, listings, now } = input
  const latest = looks.slice(-2)
  const ids = (found: readonly Observation[]) => found.map(({ id }) => id)
  const raised: RaisedFlag[] = []
  const raise = (flag: Flag, condition: boolean, evidence: readonly string[]) => {
    if (condition) raised.push({ flag, evidence })
  }
  /** True of each of the latest two looks: one strange look raises nothing. */
  const inLatest = (test: (look: Observation) => boolean) => latest.length > 0 && latest.every(test)

  const rotation = findRotation(looks, now)
  raise('payto_rotates', rotation !== null, ids(rotation ?? []))
  if (rotation === null) {
    const cloaking = findCloaking(looks, now)
    raise('cloaked', cloaking !== null, ids(cloaking ?? []))
    const swap = findSwap(input.epochs, input.announcements, now)
    raise('payto_changed', swap !== null, ids(swap?.after.looks.slice(0, 2) ?? []))
  }

  raise(
    'terms_disagree',
    inLatest(({ disagreements }) => disagreements.length > 0),
    ids(latest),
  )
  const unacceptable = inLatest(({ offers }) => offers.length > 0 && !offers.some(isAcceptable))
  const everyOffer = (test: (offer: ObservedOffer) => boolean) =>
    unacceptable && inLatest((look) => judgedOffers(look).some(test))
  raise('network_testnet', everyOffer(isTestnet), ids(latest))
  raise(
    'asset_unknown',
    everyOffer((offer) => !isTestnet(offer) && !isCanonicalUsdc(offer.network, offer.asset)),
    ids(latest),
  )
  raise(
    'scheme_unsafe',
    everyOffer((offer) => offer.scheme !== 'exact' || offer.unsafeFlow !== null),
    ids(latest),
  )
  raise(
    'receiver_unverified',
    inLatest((look) => judgedOffers(look).some(isNobody)),
    ids(latest),
  )
  const malformed = input.observations.filter(({ outcome }) => outcome !== 'not_measured').slice(-2)
  raise('receiver_unverified', malformed.length > 0 && malformed.every(namesNoAccount), ids(malformed))

  const price = input.prices.at(-1)
  if (price !== undefined) {
    const bait = findBait(looks, listings, findDynamicPrice(looks, now) !== null)
    raise('price_bait', bait !== null, [
      ...ids(bait?.looks.slice(0, 1) ?? []),
      ...ids(bait?.looks.slice(-1) ?? []),
      ...(bait === null ? [] : [bait.listing.id]),
    ])
    raise('price_drift', bait === null && hasDrift(price, listings), [
      ...ids(price.looks.slice(-1)),
      ...listings.map(({ id }) => id),
    ])
    raise(
      'price_high',
      price.priceUsd !== null && isHigh(price.priceUsd, input.category),
      ids(price.looks.slice(-1)),
    )
  }

  raise('flaky', isFlaky(input.observations, now), [])
  raise('receiver_never_paid', isNeverPaid(input), input.receiver === undefined ? [] : [input.receiver.id])
  const undelivered = undeliveredPurchases(input.purchases)
  raise(
    'no_delivery',
    undelivered.length >= LIMITS.undeliveredPurchases,
    undelivered.map(({ id }) => id),
  )
  raise(
    'unverifiable',
    isUnverifiable(input),
    input.control?.outcome === 'up' ? [input.control.id] : ids(latest),
  )
  return raised
}

/** The last change of receiver that was not announced and is not 30 days old, or null. */
export function findSwap(
  epochs: readonly Epoch[],
  announcements: readonly Announcement[],
  now: Time,
): { before: Epoch; after: Epoch } | null {
  for (let index = epochs.length - 1; index > 0; index--) {
    const before = epochs[index - 1]
    const after = epochs[index]
    if (before === undefined || after === undefined || now - after.from >= LIMITS.changedMs) return null
    if (!isAnnounced(before, after, announcements)) return { before, after }
  }
  return null
}

/** Settled test purchases since the last delivery for which nothing came. */
export function undeliveredPurchases(purchases: readonly Purchase[]): readonly Purchase[] {
  const settled = purchases.filter((purchase) => purchase.settled)
  return settled.slice(settled.findLastIndex(({ delivered }) => delivered) + 1)
}

const isTestnet = ({ network }: ObservedOffer) => findNetwork(network)?.testnet === true

const isNobody = ({ payTo, asset }: ObservedOffer) => sameAddress(payTo, asset) || isBurnAddress(payTo)

/** Whether a challenge has nothing to pay in it because its receiver is no address. */
const namesNoAccount = ({ offers, problems }: Observation) =>
  offers.length === 0 && problems.includes('payto_malformed')

/** Calls were claimed a week ago, of the receiver that was named then and is named now, and it was never paid. */
/** A claim that names its receiver is as old as its directory says; one that does not may be about a former receiver. */
function isNeverPaid({ receiver, allListings, epochs, now }: FlagInput): boolean {
  if (receiver?.receiptsEver !== 0) return false
  const weekAgo = now - LIMITS.neverPaidListingAgeMs
  const namedAt = epochs.at(-1)?.from ?? now
  return allListings.some(({ claims, at, claimedAt }) => {
    if (claims.calls === null || claims.calls < LIMITS.neverPaidCalls) return false
    if (claims.payTo === null) return Math.max(at, namedAt) < weekAgo
    return sameAddress(claims.payTo, receiver.address) && Math.min(at, claimedAt ?? at) < weekAgo
  })
}

function isUnverifiable({ control, looks, listings }: FlagInput): boolean {
  const latest = looks.slice(-2)
  const last = latest.at(-1)
  const offer = last === undefined ? undefined : mainOffer(last)
  // Receivers are looked up on Base. A test network has a flag of its own, and no receipts that would say anything.
  const isElsewhere = offer !== undefined && offer.network !== BASE && !isTestnet(offer)
  const declares = ({ declaresOutput }: Observation | Listing) => declaresOutput
  const hidesAnswer = latest.length > 0 && !latest.some(declares) && !listings.some(declares)
  return control?.outcome === 'up' || isElsewhere || hidesAnswer
}
