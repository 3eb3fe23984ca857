import type { Change, FeedPosition, Incident, Report } from '@touchstone402/shared'
import type { DailyMeasurements } from '../domain/facts/dailyMeasurements.ts'
import type {
  Announcement,
  Fact,
  Listing,
  Observation,
  Purchase,
  ReceiverRecord,
  Time,
} from '../domain/facts/facts.ts'
import type {
  Carried,
  EndpointDocument,
  EndpointState,
  HostDocument,
  HostSummary,
} from '../domain/facts/hostDocument.ts'
import type { NewLeaf } from '../domain/facts/leaves.ts'
import type { RankedIndex } from '../domain/publish/hostIndex.ts'
import type { ClaimStore } from './claims.ts'
import type { ExpiringStore } from './expiring.ts'
import type { LogStore } from './log.ts'

/** Selects records of a feed, newest first. */
export type FeedQuery = {
  /** Unix time in ms, inclusive. */
  readonly since: Time
  readonly limit: number
  readonly host?: string
  readonly endpoint?: string
  /** Of incidents: open ones only. @default false */
  readonly open?: boolean
  /** Continues behind a record. If the store has no such record, behind those of its time. @default from the newest on */
  readonly after?: FeedPosition
}

/** One page of a feed, and the number of all records that match, also of those before `after`. */
export type FeedPage<T> = { readonly records: readonly T[]; readonly total: number }

/** Records of one endpoint that a judgement reads, oldest first; changes and incidents in their latest state. */
export type EndpointFacts = {
  readonly listings: readonly Listing[]
  readonly purchases: readonly Purchase[]
  readonly changes: readonly Change[]
  readonly incidents: readonly Incident[]
}

/** Records of a whole host that a judgement reads. */
export type HostFacts = {
  /** Oldest first. */
  readonly announcements: readonly Announcement[]
  /** The newest control probe. */
  readonly control: Observation | undefined
}

/** Records that are written in one step with an endpoint's document. */
export type Written = {
  readonly facts: readonly Fact[]
  /** Days of the endpoint that have ended, with the sums that its looks gave; a known day is replaced. */
  readonly days: readonly DailyMeasurements[]
  /** Leaves that tell of it in the log. @default none */
  readonly leaves?: readonly NewLeaf[]
}

/** An endpoint's state as it is read. */
export type StoredState = {
  readonly state: EndpointState
  /** Leaf of the log that covers the newest logged decision; null while it waits for its place. @default never logged */
  readonly logIndex?: number | null
}

/** An endpoint's document as it is read. */
export type StoredDocument = StoredState & EndpointDocument

/** A list of keys with the time at which each is due: endpoints to probe, or hosts whose own documents are to be read. */
export type DueList = 'looks' | 'documents'

/** An endpoint whose document was written. */
export type Changed = { readonly host: string; readonly endpoint: string }

/** Size and use of a store, for operators. */
export type StoreStats = {
  /** Bytes on disk as last measured; null if unknown. */
  readonly diskBytes: number | null
  /** Number of rows read from disk or database since the start. */
  readonly rowsRead: number
}

/**
 * Keeps facts and derived documents. Nothing is held in memory for each endpoint but in bounded caches, and the cost of a
 * call is proportional to its result.
 *
 * A write resolves once it is durable and survives a crash; of one call all is written or nothing. A failed write rejects
 * with `StoreUnavailableError` and changes nothing that is read; reads keep working. Returned records are shared: treat
 * them as frozen.
 */
export type Store = {
  /**
   * Appends facts. The endpoint of a listing that is neither judged nor listed yet becomes due at the listing's time.
   * Changes, incidents and reports replace an earlier state of the same id or date.
   * @param leaves tell of the facts in the log. @default none
   */
  append(facts: readonly Fact[], leaves?: readonly NewLeaf[]): Promise<void>
  /**
   * Replaces an endpoint's document and appends what was found with it. The endpoint becomes due at its `nextProbeAt`, a
   * host's first document makes the host's own documents due, and totals and ranks of the host are brought up to date.
   */
  putEndpoint(document: EndpointDocument, written?: Written): Promise<void>
  endpoint(endpoint: string): Promise<StoredDocument | undefined>
  /** The same without what judgements carry on, which is the larger part. */
  state(endpoint: string): Promise<StoredState | undefined>
  /** All judged endpoints of a host, by endpoint. */
  host(host: string): Promise<HostDocument | undefined>
  /** The same without what lists do not show. */
  summary(host: string): Promise<HostSummary | undefined>
  endpointFacts(endpoint: string): Promise<EndpointFacts>
  /** @param until inclusive time of the newest record that counts. @default no limit */
  hostFacts(host: string, until?: Time): Promise<HostFacts>
  /** All listings of some endpoints, oldest first. Endpoints without any are left out. */
  listings(endpoints: readonly string[]): Promise<ReadonlyMap<string, readonly Listing[]>>
  /** Purchases at a host, oldest first. */
  purchases(host: string): Promise<readonly Purchase[]>
  /** Looks at an endpoint within the retention, oldest first, both ends inclusive. Equal times keep the order of writing. */
  looks(endpoint: string, range?: { readonly from?: Time; readonly to?: Time }): AsyncIterable<Observation>
  /** The looks of these ids, if they are kept; those that incidents cite outlive the retention. */
  cited(endpoint: string, ids: readonly string[]): Promise<readonly Observation[]>
  /** Carried state before the oldest kept look; undefined if no look was dropped. */
  base(endpoint: string): Promise<Carried | undefined>
  /** Days of an endpoint that have ended, oldest first, kept for ever. */
  days(endpoint: string): Promise<readonly DailyMeasurements[]>
  /**
   * The records of one receiver that a judgement reads, oldest first: its first, the newest with an answer of the oracle,
   * and the newest, as of a time. @param until inclusive. @default no limit
   */
  receiver(network: string, address: string, until?: Time): Promise<readonly ReceiverRecord[]>
  /** Number of receivers with a record. */
  countReceivers(): Promise<number>
  changes(query: FeedQuery): Promise<FeedPage<Change>>
  /** Incidents in their latest state, ordered by detection time. */
  incidents(query: FeedQuery): Promise<FeedPage<Incident>>
  /** The latest state of one incident. */
  incident(id: string): Promise<Incident | undefined>
  /**
   * All facts, for copies: those of one subject oldest first. Of changes, incidents, reports and control probes earlier
   * states may be left out.
   */
  facts(): AsyncIterable<Fact>
  /** The latest report of each day, oldest first. */
  reports(): Promise<readonly Report[]>
  /**
   * Returns the totals whose names begin with a prefix, see `hostIndex.ts`. Brings expired verdicts up to `now` first, as
   * `ranked` does.
   */
  counts(prefix: string, now: Time): Promise<ReadonlyMap<string, number>>
  /** Returns one total; 0 if there is none. */
  count(name: string): Promise<number>
  /** The keys of an index in order; `prefix` selects, `after` continues behind a key. */
  ranked(
    index: RankedIndex,
    now: Time,
    options?: { readonly prefix?: string; readonly after?: string; readonly limit?: number },
  ): AsyncIterable<string>
  /** Hosts whose names contain a text, in order of their names, and their number. */
  searchHosts(
    text: string,
    limit: number,
  ): Promise<{ readonly hosts: readonly string[]; readonly total: number }>
  /**
   * Takes due keys, earliest first, and makes them due again at `again`: whoever takes them and dies loses nothing.
   * Of several processes each key goes to one. A store that only one process opens makes what was taken before due
   * again when it is opened.
   */
  claimDue(list: DueList, now: Time, again: Time, limit: number): Promise<readonly string[]>
  /** The earliest time at which something is due; null if nothing is. */
  nextDue(list: DueList): Promise<Time | null>
  countDue(list: DueList, now: Time): Promise<number>
  /** Time of the newest document; null without any. */
  newestAt(): Promise<Time | null>
  /**
   * Calls back after each document that this or another process wrote; with null if any may have changed unseen.
   * Returns a function that ends it.
   */
  watch(onChange: (changed: Changed | null) => void): Promise<() => Promise<void>>
  readonly claims: ClaimStore
  readonly log: LogStore
  readonly expiring: ExpiringStore
  stats(): StoreStats
  /** Flushes and closes the store. */
  close(): Promise<void>
}
