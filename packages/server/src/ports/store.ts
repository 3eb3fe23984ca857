import type { Change, Incident, Report } from '@touchstone402/shared'
import type { DailyMeasurements } from '../domain/facts/dailyMeasurements.ts'
import type {
  Announcement,
  Fact,
  Listing,
  Observation,
  Purchase,
  ReceiverRecord,
} from '../domain/facts/facts.ts'
import type { HostDocument } from '../domain/facts/hostDocument.ts'
import type { ClaimStore } from './claims.ts'

/** Which records of a feed to read; newest first. */
export type FeedQuery = {
  /** Milliseconds since 1970, inclusive. */
  readonly since: number
  readonly limit: number
  readonly host?: string
  readonly endpoint?: string
}

/** One page of a feed, and how many records matched in all. */
export type FeedPage<T> = { readonly records: readonly T[]; readonly total: number }

/** Everything recorded about one host, oldest first; changes and incidents in their latest state. */
export type HostFacts = {
  readonly listings: readonly Listing[]
  readonly observations: readonly Observation[]
  /** What observations came to that are too old to be kept one by one. */
  readonly daily: readonly DailyMeasurements[]
  readonly announcements: readonly Announcement[]
  readonly purchases: readonly Purchase[]
  readonly changes: readonly Change[]
  readonly incidents: readonly Incident[]
}

/**
 * Where facts and derived documents are kept. `append` and `putHost` resolve when the record is durable;
 * what has not resolved may be lost by a crash, what has resolved may not.
 * A write that cannot be made durable rejects with `StoreUnavailableError` and changes nothing that is read; reads go on.
 * Records that come back are shared: treat them as frozen.
 */
export type Store = {
  /** Appends facts; all of one call or none survive a crash. */
  append(facts: readonly Fact[]): Promise<void>
  hostFacts(host: string): Promise<HostFacts>
  /** The newest record of each receiver that was ever looked up, by `network address` (lower case). */
  receivers(): Promise<ReadonlyMap<string, ReceiverRecord>>
  /** Every record of one receiver, oldest first. */
  receiver(network: string, address: string): Promise<readonly ReceiverRecord[]>
  /** Derived state, one document a host; it replaces the one before. */
  putHost(document: HostDocument): Promise<void>
  getHost(host: string): Promise<HostDocument | undefined>
  hosts(): AsyncIterable<HostDocument>
  changes(query: FeedQuery): Promise<FeedPage<Change>>
  /** Incidents in their latest state, placed in time by when they were detected. */
  incidents(query: FeedQuery): Promise<FeedPage<Incident>>
  /** The reports of all days, oldest first; of each day the last that was made. */
  reports(): Promise<readonly Report[]>
  readonly claims: ClaimStore
  /** Flushes and lets go of everything. */
  close(): Promise<void>
}
