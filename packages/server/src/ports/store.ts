import type { Band, Change, FeedPosition, Incident, Report, Term, VerdictCode } from '@touchstone402/shared'
import type { DailyMeasurements } from '../facts/dailyMeasurements.ts'
import type {
  Announcement,
  Fact,
  Listing,
  Observation,
  Purchase,
  ReceiverRecord,
  Time,
} from '../facts/facts.ts'
import type { EndpointState, HostDocument, HostSummary } from '../facts/hostDocument.ts'
import type { NewLeaf } from '../facts/leaves.ts'
import type { Totals } from '../facts/totals.ts'
import type { ClaimStore } from './claims.ts'
import type { ExpiringStore } from './expiring.ts'
import type { LogStore } from './log.ts'
import type { MapFiles } from './mapFiles.ts'
import type { McpAudits } from './mcp.ts'

/** Selects records of a feed, newest first. */
export type FeedQuery = {
  /** Unix time in ms, inclusive. */
  readonly since: Time
  readonly limit: number
  readonly host?: string
  readonly endpoint?: string
  /** Of incidents: open ones only. @default false */
  readonly open?: boolean
  /** Continues behind the place of a record, whether it is there or not. @default from the newest on */
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

/** Records that are written in one step with an endpoint's state. */
export type Written = {
  readonly facts: readonly Fact[]
  /** Days of the endpoint that its new probes touch; a known day is replaced. */
  readonly days: readonly DailyMeasurements[]
  /** Leaves that tell of it in the log. @default none */
  readonly leaves?: readonly NewLeaf[]
  /** Lease of the host under which it was found; nothing is written if it is lost. @default none is needed */
  readonly lease?: Lease
}

/** An endpoint's state as it is read. */
export type StoredState = {
  readonly state: EndpointState
  /** Leaf of the log that covers the newest logged decision; null while it waits for its place. @default never logged */
  readonly logIndex?: number | null
}

/** An endpoint whose state was written. */
export type Changed = { readonly host: string; readonly endpoint: string }

/** Orders of hosts. `best`: verdict, score, name; `providers`: most live endpoints, score; `age`: first seen; `names`. */
export type HostOrder = 'best' | 'providers' | 'age' | 'names'

/** Selects hosts with a judged and listed endpoint. */
export type HostQuery = {
  readonly order: HostOrder
  /** Hosts of one verdict only. */
  readonly verdict?: VerdictCode
  /** Hosts with a working endpoint only. @default false */
  readonly isWorking?: boolean
  /** Number of hosts to leave out at the start. @default 0 */
  readonly skip?: number
  /** Of `names`: continues behind a name. */
  readonly after?: string
  readonly limit: number
}

/** Selects verdicts that stood with the report of a date. */
export type StandingQuery = {
  /** Of the report, `YYYY-MM-DD`. */
  readonly date: string
  /** Continues behind an endpoint; empty for the first page. */
  readonly after: string
  readonly limit: number
  /** As of which the later verdict is read. */
  readonly now: Time
}

/** Verdicts that stood with a report, by endpoint. */
export type StandingPage = readonly {
  readonly endpoint: string
  readonly verdict: VerdictCode
  readonly band: Band | null
  readonly terms: readonly Term[]
  /** False once the endpoint was dropped, dark for 90 days. */
  readonly isKept: boolean
  /** Its verdict now. */
  readonly later: VerdictCode
}[]

/** The right to work on a host, or to lead, which ends by itself if it is not renewed. */
export type Lease = { readonly name: string; readonly token: string }

/** A host that was taken to be probed. */
export type HostLease = Lease & { readonly domain: string }

/** Which due hosts to take. */
export type TakeOptions = {
  readonly most: number
  /** Number of hosts of one registrable domain that may be worked on at a time. */
  readonly mostPerDomain: number
  /** Number of hosts that the caller works on already, by registrable domain. */
  readonly busy: ReadonlyMap<string, number>
}

/** Leases, and the hosts that are due. They last {@link LEASE_MS} by the clock of the database. */
export type LeaseStore = {
  /**
   * Takes unleased hosts with due endpoints, the longest wait first.
   * @param now of the audit's clock, by which endpoints are due
   */
  takeHosts(now: Time, options: TakeOptions): Promise<readonly HostLease[]>
  /** Takes a lease; null while another one of its name lasts. */
  take(name: string): Promise<Lease | null>
  /** Prolongs a lease. Returns false if it is lost. */
  renew(lease: Lease): Promise<boolean>
  /** Ends a lease. A host with more due endpoints goes behind all that wait. */
  release(lease: Lease, now: Time): Promise<void>
  /** The due endpoints of a host, earliest first. */
  due(host: string, now: Time, limit: number): Promise<readonly string[]>
  /** The earliest time at which a host is due; null if none is. */
  nextDue(): Promise<Time | null>
  countDue(now: Time): Promise<number>
  /** Makes an endpoint due at a time, as after a probe that failed on our side. */
  postpone(endpoint: string, until: Time): Promise<void>
  /** Makes some endpoints of a host due, and the host before all others. */
  putFirst(host: string, endpoints: readonly string[], now: Time): Promise<void>
  /**
   * Takes hosts whose own documents are due to be read, the longest wait first, and makes them due again at `again`:
   * a process that takes them and dies loses nothing.
   */
  takeDocuments(now: Time, again: Time, limit: number): Promise<readonly string[]>
  /** Makes the documents of a host due at a time, as after a reading that failed on our side. */
  postponeDocuments(host: string, until: Time): Promise<void>
}

/** Duration of a lease in ms. */
export const LEASE_MS = 30_000

/**
 * Stores facts and data derived from them. The cost of a call is proportional to its result, that of `totals` excepted.
 *
 * A write resolves once it is durable and survives a crash; of one call all is written or nothing. A failed write rejects
 * with `StoreUnavailableError`; reads keep working if they can.
 */
export type Store = {
  /**
   * Appends facts. The endpoint of a listing that is neither judged nor listed yet becomes due at the listing's time;
   * it is left out where its host or registrable domain has as many as are kept.
   * Changes, incidents and reports replace an earlier state of the same id or date. With a report that counts accuracy
   * the verdicts are noted that stand at its time.
   * @param leaves tell of the facts in the log. @default none
   * @returns the number of listings that were left out
   */
  append(facts: readonly Fact[], leaves?: readonly NewLeaf[]): Promise<number>
  /**
   * Replaces an endpoint's state and appends the new facts. The endpoint becomes due at its `nextProbeAt`.
   * @throws LeaseLostError if the lease is given and lost
   */
  putEndpoint(state: EndpointState, written?: Written): Promise<void>
  /** Records that a directory still lists endpoints. */
  noteListed(endpoints: readonly string[], at: Time): Promise<void>
  /** Drops endpoints that are dark since a time and that no directory has listed since another. Returns their number. */
  dropDead(darkSince: Time, listedSince: Time): Promise<number>
  endpoint(endpoint: string): Promise<StoredState | undefined>
  /** Returns the list summary of a host's judged and listed endpoints; undefined without any. */
  summary(host: string): Promise<HostSummary | undefined>
  /** A host's judged and listed endpoints, by endpoint; undefined without any. */
  host(host: string): Promise<HostDocument | undefined>
  endpointFacts(endpoint: string): Promise<EndpointFacts>
  hostFacts(host: string): Promise<HostFacts>
  /** The newest listing of each directory of some endpoints. Endpoints without any are left out. */
  listings(endpoints: readonly string[]): Promise<ReadonlyMap<string, readonly Listing[]>>
  /** Purchases at a host, oldest first. */
  purchases(host: string): Promise<readonly Purchase[]>
  /**
   * Reads the probes of an endpoint, oldest first, both ends inclusive. Equal times keep the order of writing.
   * @param range `newest` limits to so many of the newest; with `newestLive`, that limits live checks, and `newest` the
   * others. @default all that are kept
   */
  observations(
    endpoint: string,
    range?: {
      readonly from?: Time
      readonly to?: Time
      readonly newest?: number
      readonly newestLive?: number
    },
  ): Promise<readonly Observation[]>
  /** The probes of these ids, if they are kept; those that incidents cite outlive the retention. */
  cited(endpoint: string, ids: readonly string[]): Promise<readonly Observation[]>
  /** Days of an endpoint, oldest first, kept for ever. */
  days(endpoint: string): Promise<readonly DailyMeasurements[]>
  /**
   * The records of one receiver that a judgement reads, oldest first: its first, the newest with an answer of the oracle,
   * and the newest, as of a time. @param until inclusive. @default no limit
   */
  receiver(network: string, address: string, until?: Time): Promise<readonly ReceiverRecord[]>
  changes(query: FeedQuery): Promise<FeedPage<Change>>
  /** Incidents in their latest state, ordered by detection time. */
  incidents(query: FeedQuery): Promise<FeedPage<Incident>>
  /** The open critical incidents of all endpoints that are kept, oldest first. */
  openIncidents(): Promise<readonly Incident[]>
  /** The latest state of one incident. */
  incident(id: string): Promise<Incident | undefined>
  /**
   * The latest report of each day, oldest first; kept for ever.
   * @param since first date, `YYYY-MM-DD`. @default all
   * @param until last date. @default the newest
   */
  reports(since?: string, until?: string): Promise<readonly Report[]>
  /** The report of the newest date; undefined before the first. */
  latestReport(): Promise<Report | undefined>
  /** Verdicts that stood with a report; kept for the last 100 reports. */
  standing(query: StandingQuery): Promise<StandingPage>
  /** Purchases of all hosts after a time and until another, oldest first. */
  purchasesOf(from: Time, to: Time): Promise<readonly Purchase[]>
  /** Counts everything, at most once a minute; callers meanwhile get the last count. */
  totals(now: Time): Promise<Totals>
  /** The names of hosts in an order. A verdict that has expired counts as unknown. */
  hosts(query: HostQuery, now: Time): Promise<readonly string[]>
  /** Hosts that name a receiver now on any of some networks, in order of their names, and their number. */
  searchPaid(
    networks: readonly string[],
    address: string,
    limit: number,
  ): Promise<{ readonly hosts: readonly string[]; readonly total: number }>
  /** Number of hosts that name a receiver now. */
  countPaid(network: string, address: string): Promise<number>
  /**
   * Calls back after each state that this or another process wrote; with null if any may have changed unseen.
   * Returns a function that ends it.
   */
  watch(onChange: (changed: Changed | null) => void): Promise<() => Promise<void>>
  readonly leases: LeaseStore
  readonly claims: ClaimStore
  readonly log: LogStore
  readonly expiring: ExpiringStore
  readonly mapFiles: MapFiles
  readonly mcpAudits: McpAudits
  /** Time of the newest judgement; null without any. */
  newestAt(): Promise<Time | null>
  /**
   * Counts the endpoints that were judged after a time, and returns those of them, or never judged, that are due only after
   * another.
   */
  judgedAfter(
    time: Time,
    due: Time,
    limit: number,
  ): Promise<{ readonly count: number; readonly notDue: readonly Changed[] }>
  /** Size on disk in bytes. */
  diskBytes(): Promise<number>
  close(): Promise<void>
}
