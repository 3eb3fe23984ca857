import type { Incident } from '@touchstone402/shared'
import {
  type Announcement,
  hasTerms,
  isDeclaredByHost,
  type Listing,
  type Observation,
  type Purchase,
  type ReceiverRecord,
  type RecordsOf,
  type ShoppingLimits,
  type Time,
} from '../facts/facts.ts'
import type { Accusation, CategoryPrice } from '../facts/hostDocument.ts'
import { findAccusations, type RaisedAccusation } from './accusations.ts'
import { baitLimits, differsLimits, findDearer } from './bait.ts'
import { findAlternations } from './clients.ts'
import type { Paid } from './epochs.ts'
import { findFlickers } from './flickers.ts'
import type { History } from './history.ts'
import { findFollowedInput, isDeclaredInput } from './inputs.ts'
import { findNewOffers, withoutNew } from './newOffers.ts'
import { collectTerms, listNamedReceivers, mainOffer } from './offers.ts'
import { readReceivers, statusBefore } from './past.ts'
import { findPriceJumps, isCategory } from './prices.ts'
import { capAmounts, readRanges } from './ranges.ts'
import { findRefusals } from './refusals.ts'
import { LIMITS } from './spec.ts'
import { trackStatus } from './status.ts'
import { findSwap, NO_SWAP } from './swaps.ts'
import { ignoringSmallPrices } from './terms.ts'
import { lowestUptime, measureUptime, sampleUptime } from './uptime.ts'

/** Facts about one endpoint, without those from chain. Lists are oldest first. */
export type JudgeInput = {
  readonly history: History
  readonly endpoint: string
  readonly host: string
  readonly listings: readonly Listing[]
  /** The newest control probe of the host. */
  readonly control: Observation | undefined
  readonly announcements: readonly Announcement[]
  readonly purchases: readonly Purchase[]
  /** The price of a category, or of everything listed. */
  readonly categoryPrice: (category: string | null) => CategoryPrice | undefined
  /** The older listed host whose name looks like this one's. @default none */
  readonly lookalike?: string | undefined
  /** Limits of the test purchases. @default the service makes none */
  readonly shopping?: ShoppingLimits | null | undefined
  /** Incidents of this endpoint as last published. */
  readonly incidents: readonly Incident[]
  readonly now: Time
  /** 0 to 1, for the jitter of the next probe. */
  readonly random: number
}

/** Findings from the probes of an endpoint and its other facts. */
export type Findings = ReturnType<typeof findAll>

/** Findings with the chain records of the receivers that they name. */
export type Evidence = Findings & {
  readonly recordsOf: RecordsOf
  /** Newest chain record of the current receiver that has not expired; undefined while receivers rotate. */
  readonly receiver: ReceiverRecord | undefined
  /** Incidents of other endpoints that count against it. */
  readonly accused: readonly RaisedAccusation[]
}

/** Derives what all judgements share. */
export function findAll(input: JudgeInput) {
  const { history, announcements, now } = input
  const { observations, probes, seen, comparison, past } = history
  const latestListings = newestPerDirectory(input.listings)
  const { epochs, pending } = readReceivers(history, announcements)
  // Findings expire by the time of the last probe, so that a host that declines probes keeps its record.
  const lastAt = probes.at(-1)?.at ?? now
  const { isSigned, dynamicPrice, differ, isOpen, isUneven } = comparison
  const rotation = comparison.rotation?.map(({ id }) => id) ?? null
  const { cloaking, cacheLag } = findAlternations(seen, lastAt, ignoringSmallPrices(differ))
  const nearPrices = cloaking === null ? findAlternations(seen, lastAt, differ).cloaking : null
  // Cloaking does not expire while terms differ.
  const cloakedBefore = isUneven ? past.state?.reasons.find(({ code }) => code === 'cloaked') : undefined
  const { swap, excuse } = rotation === null ? findSwap(epochs, announcements, lastAt, now) : NO_SWAP
  const sample = sampleUptime(observations)
  const uptime = measureUptime(sample, now)
  const category = findCategory(latestListings)
  const named = rotation === null ? (epochs.at(-1)?.probes ?? []) : probes
  const vouched = named.slice(-LIMITS.termsProbes)
  const added = findNewOffers(probes, vouched, past, announcements, now)
  const confirmed = vouched.map((probe) => withoutNew(probe, added))
  const current = confirmed.every(({ offers }) => offers.length === 0) ? vouched : confirmed.filter(hasTerms)
  const ranges = readRanges(probes)
  return {
    ...input,
    ...history,
    /** The state of the last judgement, if any. */
    before: history.stored.before,
    /** The last two probes that returned terms. */
    latest: probes.slice(-2),
    /** The newest listing of each directory. */
    latestListings,
    track: trackStatus(observations, statusBefore(past)),
    /** The last probes in a row that were refused, if they matter. */
    refusals: findRefusals(observations),
    epochs,
    /** The trailing probes with another receiver that is not confirmed yet. */
    pending,
    priceJumps: findPriceJumps(probes),
    /** Ids of two probes that show a rotating receiver; whether one key signed every offer. */
    rotation,
    isSigned,
    /** Offers of the last probes that are not confirmed yet. */
    added,
    /** Recent prices of each offer. */
    ranges,
    /** The terms that are vouched for. */
    terms: collectTerms(confirmed, capAmounts(ranges, probes)),
    /** Whether clients differ and the cause is still open. */
    isDifferenceOpen: isOpen,
    /** Terms that follow declared input, and input that nobody declares, if any. */
    followedInput: findFollowedInput(probes, history.inputs.filter(isDeclaredInput)),
    followedUndeclared: findFollowedInput(
      probes,
      history.inputs.filter((probe) => !isDeclaredInput(probe)),
    ),
    /** Ids of four probes that show cloaking, or a cache that lags. */
    cloaking: cloaking ?? cloakedBefore?.evidence ?? null,
    cacheLag,
    /** Ids of four probes that show clients prices within 20 % of one another. */
    nearPrices,
    /** The last unannounced change of receiver, null while receivers rotate; and its excuse, if any. */
    swap,
    excuse,
    /** Receivers that were named for a while among stable ones. */
    flickers: rotation === null ? findFlickers(probes, epochs.at(-1), announcements, lastAt) : [],
    /** A price far above the seller's own claim, which is bait; and one above it at all. */
    bait: findDearer(probes, input.listings, baitLimits(dynamicPrice !== null)),
    dearer: findDearer(probes, input.listings, differsLimits(dynamicPrice !== null)),
    /** The last five probes at the current receiver, or of all probes while receivers rotate; and the last of them. */
    current,
    shown: current.at(-1),
    uptime,
    lowestUptime: lowestUptime(sample, now, uptime),
    category,
    comparable: input.categoryPrice(category),
  }
}

/**
 * Adds the chain records of the receivers that {@link listReadReceivers} names.
 * @param accusations open incidents of other endpoints that name one of its receivers or its host. @default none
 */
export function addRecords(
  findings: Findings,
  recordsOf: RecordsOf,
  accusations: readonly Accusation[] = [],
): Evidence {
  const { shown, rotation, now } = findings
  const offer = shown && mainOffer(shown)
  const records = offer === undefined || rotation !== null ? [] : recordsOf(offer.network, offer.payTo)
  const receiver = records.findLast(({ at }) => at > now - LIMITS.receiverRecordMs)
  return { ...findings, recordsOf, receiver, accused: findAccusations(findings, recordsOf, accusations) }
}

/** Returns the receivers whose chain records a judgement reads; some are named several times. */
export function listReadReceivers({ latest, shown, epochs, bait }: Findings): readonly Paid[] {
  return [
    ...latest.flatMap(listNamedReceivers),
    ...(shown === undefined ? [] : listNamedReceivers(shown)),
    ...epochs.flatMap(({ first, last }) => [first, last]),
    bait?.first.paid,
  ].filter((paid) => paid !== undefined)
}

/** Returns the category of an endpoint's listings, and whether the host itself names it; null if none has a real one. */
export function categoryOf(listings: readonly Listing[]) {
  const latest = newestPerDirectory(listings)
  const category = findCategory(latest)
  return { category, isOwn: latest.some((one) => isDeclaredByHost(one) && one.category === category) }
}

/** Prefers the host's own word; a category that directories disagree on would let one of them choose the comparison. */
function findCategory(latest: readonly Listing[]): string | null {
  const named = latest.filter(({ category }) => isCategory(category))
  const own = named.filter(isDeclaredByHost)
  const [category = null, ...others] = new Set((own.length > 0 ? own : named).map((one) => one.category))
  return others.length === 0 || own.length > 0 ? category : null
}

function newestPerDirectory(listings: readonly Listing[]): Listing[] {
  return [...new Map(listings.map((listing) => [listing.directory, listing])).values()]
}
