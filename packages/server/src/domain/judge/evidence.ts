import type { Incident } from '@touchstone402/shared'
import {
  type Announcement,
  hasTerms,
  type Listing,
  type Observation,
  type Purchase,
  type ReceiverRecord,
  type RecordsOf,
  type Time,
} from '../facts/facts.ts'
import type { CategoryPrice, Uptime } from '../facts/hostDocument.ts'
import { findDynamicPrice, findRotation } from './clients.ts'
import { type Epoch, findSwap, type Swap, splitEpochs } from './epochs.ts'
import { mainOffer } from './offers.ts'
import { type Bait, findBait, type PriceEpoch, splitPrices } from './prices.ts'
import { settleRefusals } from './refusals.ts'
import { LIMITS } from './spec.ts'
import { type StatusTrack, trackStatus } from './status.ts'
import { lowestUptime } from './uptime.ts'

/** Facts about one endpoint. Lists are oldest first. */
export type JudgeInput = {
  readonly endpoint: string
  readonly host: string
  readonly listings: readonly Listing[]
  /** All probes of the endpoint, without control probes. */
  readonly observations: readonly Observation[]
  /** The newest control probe of the host. */
  readonly control: Observation | undefined
  readonly announcements: readonly Announcement[]
  readonly purchases: readonly Purchase[]
  readonly recordsOf: RecordsOf
  readonly categoryPrice: (category: string) => CategoryPrice | undefined
  /** Incidents of this endpoint as last published. */
  readonly incidents: readonly Incident[]
  readonly firstSeen?: Time | undefined
  readonly now: Time
  /** 0 to 1, for the jitter of the next probe. */
  readonly random: number
}

/** The facts about one endpoint and what flags, changes and incidents are derived from. */
export type Evidence = JudgeInput & {
  /** Probes that returned terms. */
  readonly probes: readonly Observation[]
  /** The newest listing of each directory. */
  readonly latestListings: readonly Listing[]
  readonly track: StatusTrack
  readonly epochs: readonly Epoch[]
  /** Trailing probes with another receiver that is not confirmed yet. */
  readonly pending: readonly Observation[]
  readonly prices: readonly PriceEpoch[]
  /** Two probes that show a rotating receiver. */
  readonly rotation: readonly Observation[] | null
  /** The last unannounced change of receiver; null while receivers rotate. */
  readonly swap: Swap | null
  readonly bait: Bait | null
  /** Probes at the current receiver; all probes while receivers rotate. */
  readonly current: readonly Observation[]
  /** Newest chain record of the current receiver that has not expired; undefined while receivers rotate. */
  readonly receiver: ReceiverRecord | undefined
  readonly lowestUptime: Uptime
  readonly category: string | null
  readonly comparable: CategoryPrice | undefined
}

/** Derives the evidence that all judgements share. */
export function gatherEvidence(input: JudgeInput): Evidence {
  const { announcements, now } = input
  const observations = settleRefusals(input.observations)
  const probes = observations.filter(hasTerms)
  const latestListings = newestPerDirectory(input.listings)
  const rotation = findRotation(probes, now)
  const { epochs, pending } = splitEpochs(probes)
  const epoch = epochs.at(-1)
  const current = epoch === undefined || rotation !== null ? probes : epoch.probes
  const shown = current.at(-1)
  const offer = shown === undefined ? undefined : mainOffer(shown)
  const records = offer === undefined || rotation !== null ? [] : input.recordsOf(offer.network, offer.payTo)
  const category = latestListings.find((listing) => listing.category !== null)?.category ?? null
  return {
    ...input,
    observations,
    probes,
    latestListings,
    track: trackStatus(observations),
    epochs,
    pending,
    prices: splitPrices(probes),
    rotation,
    swap: rotation === null ? findSwap(epochs, announcements, now) : null,
    bait: findBait(probes, latestListings, findDynamicPrice(probes, now) !== null),
    current,
    receiver: records.findLast(({ at }) => at > now - LIMITS.receiverRecordMs),
    lowestUptime: lowestUptime(observations, now),
    category,
    comparable: category === null ? undefined : input.categoryPrice(category),
  }
}

function newestPerDirectory(listings: readonly Listing[]): Listing[] {
  return [...new Map(listings.map((listing) => [listing.directory, listing])).values()]
}
