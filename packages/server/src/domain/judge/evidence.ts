import type { Incident } from '@touchstone402/shared'
import type {
  Announcement,
  Listing,
  Observation,
  Purchase,
  ReceiverRecord,
  RecordsOf,
  Time,
} from '../facts/facts.ts'
import type { Carried, CategoryPrice, Uptime } from '../facts/hostDocument.ts'
import { type Bait, findBait } from './memory/bait.ts'
import { recall } from './memory/carried.ts'
import { findCacheLag, findCloaking } from './memory/clients.ts'
import { type Epoch, findSwap, type Paid, type Swap } from './memory/epochs.ts'
import type { Memory } from './memory/memory.ts'
import type { NamedAssets } from './memory/namedAssets.ts'
import { isCategory, type PriceEpoch, type PriceJump } from './memory/prices.ts'
import { findDynamicPrice, findRotation } from './memory/quickPairs.ts'
import { findRefusals, type Refusals } from './memory/refusals.ts'
import { type StatusTrack, trackStatus } from './memory/status.ts'
import { listNamedReceivers } from './namedReceivers.ts'
import { mainOffer } from './offers.ts'
import { LIMITS } from './spec.ts'
import { lowestUptime, measureUptime, readSample } from './uptime.ts'

/** Facts about one endpoint. Lists are oldest first. */
export type JudgeInput = {
  readonly endpoint: string
  readonly host: string
  readonly listings: readonly Listing[]
  /** Carried state of the endpoint's looks. */
  readonly carried: Carried
  /** The newest control probe of the host. */
  readonly control: Observation | undefined
  readonly announcements: readonly Announcement[]
  readonly purchases: readonly Purchase[]
  readonly recordsOf: RecordsOf
  /** The price of a category, or of everything listed. */
  readonly categoryPrice: (category: string | null) => CategoryPrice | undefined
  /** Incidents of this endpoint as last published. */
  readonly incidents: readonly Incident[]
  readonly firstSeen?: Time | undefined
  readonly now: Time
  /** 0 to 1, for the jitter of the next probe. */
  readonly random: number
}

/** The facts about one endpoint and what flags, changes and incidents are derived from. */
export type Evidence = Omit<JudgeInput, 'carried'> &
  Pick<Memory, 'looks' | 'clients'> & {
    /** The last two probes that returned terms. */
    readonly latest: readonly Observation[]
    /** The newest listing of each directory. */
    readonly latestListings: readonly Listing[]
    readonly track: StatusTrack
    readonly refusals: Refusals
    readonly epochs: readonly Epoch[]
    /** Ids of the trailing probes with another receiver that is not confirmed yet. */
    readonly pending: readonly string[]
    readonly prices: readonly PriceEpoch[]
    readonly priceJumps: readonly PriceJump[]
    /** Ids of two probes that show a rotating receiver, and of four that show cloaking or a cache that lags. */
    readonly rotation: readonly string[] | null
    readonly cloaking: readonly string[] | null
    readonly cacheLag: readonly string[] | null
    /** The last unannounced change of receiver; null while receivers rotate. */
    readonly swap: Swap | null
    readonly bait: Bait | null
    /** The last five probes at the current receiver; of all probes while receivers rotate. */
    readonly current: readonly Observation[]
    /** Networks and tokens that the endpoint ever named, and receivers of all offers in the newest epoch. */
    readonly assets: NamedAssets
    readonly payTos: readonly string[]
    /** Newest chain record of the current receiver that has not expired; undefined while receivers rotate. */
    readonly receiver: ReceiverRecord | undefined
    readonly uptime: Uptime
    readonly lowestUptime: Uptime
    readonly sample: ReturnType<typeof readSample>
    readonly category: string | null
    readonly comparable: CategoryPrice | undefined
  }

/** Derives the evidence that all judgements share. */
export function gatherEvidence(input: JudgeInput): Evidence {
  const { announcements, now, listings } = input
  const memory = recall(input.carried)
  const { looks, clients } = memory
  const { epochs, pending, payTos } = memory.epochs
  const latestListings = newestPerDirectory(listings)
  const rotation = findRotation(clients.quick, now)?.ids ?? null
  const current = epochs.length === 0 || rotation !== null ? looks.probes : memory.epochs.current
  const shown = current.at(-1)
  const offer = shown === undefined ? undefined : mainOffer(shown)
  const records = offer === undefined || rotation !== null ? [] : input.recordsOf(offer.network, offer.payTo)
  const category = findCategory(latestListings)
  const sample = readSample(memory.uptime)
  const uptime = measureUptime(sample, now)
  const isDynamic = findDynamicPrice(clients.quick, now) !== null
  return {
    ...input,
    looks,
    clients,
    latest: looks.probes.slice(-2),
    latestListings,
    track: trackStatus(memory.status),
    refusals: findRefusals(memory.refusals),
    epochs,
    pending: pending.map(({ id }) => id),
    prices: memory.prices,
    priceJumps: memory.jumps.jumps,
    rotation,
    cloaking: findCloaking(clients, now),
    cacheLag: findCacheLag(clients, now),
    swap: rotation === null ? findSwap(epochs, announcements, now) : null,
    bait: findBait(memory.run, latestListings, isDynamic),
    current,
    assets: memory.assets,
    payTos,
    receiver: records.findLast(({ at }) => at > now - LIMITS.receiverRecordMs),
    uptime,
    lowestUptime: lowestUptime(sample, now, uptime),
    sample,
    category,
    comparable: input.categoryPrice(category),
  }
}

/** Returns the category of an endpoint's listings; null if none has a real one. */
export function categoryOf(listings: readonly Listing[]): string | null {
  return findCategory(newestPerDirectory(listings))
}

const findCategory = (latest: readonly Listing[]) =>
  latest.find(({ category }) => isCategory(category))?.category ?? null

function newestPerDirectory(listings: readonly Listing[]): Listing[] {
  return [...new Map(listings.map((listing) => [listing.directory, listing])).values()]
}

/** Returns the receivers whose chain records a judgement reads, each once. */
export function listReadReceivers(carried: Carried): readonly Paid[] {
  const { looks, epochs, run } = recall(carried)
  const shown = [...looks.probes.slice(-2), ...epochs.current.slice(-1)].flatMap(listNamedReceivers)
  const named = [
    ...shown,
    ...epochs.epochs.flatMap(({ first, last }) => [first, last].filter((paid) => paid !== null)),
    ...run.steps.flatMap(({ paid }) => paid ?? []),
  ]
  return [...new Map(named.map(({ network, payTo }) => [`${network} ${payTo}`, { network, payTo }])).values()]
}
