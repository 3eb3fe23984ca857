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

/** Selects records of a feed, newest first. */
export type FeedQuery = {
  /** Unix time in ms, inclusive. */
  readonly since: number
  readonly limit: number
  readonly host?: string
  readonly endpoint?: string
}

/** One page of a feed, and the number of all records that match. */
export type FeedPage<T> = { readonly records: readonly T[]; readonly total: number }

/** All records of one host, oldest first; changes and incidents in their latest state. */
export type HostFacts = {
  readonly listings: readonly Listing[]
  readonly observations: readonly Observation[]
  /** Sums of observations that are past the retention. */
  readonly daily: readonly DailyMeasurements[]
  readonly announcements: readonly Announcement[]
  readonly purchases: readonly Purchase[]
  readonly changes: readonly Change[]
  readonly incidents: readonly Incident[]
}

/**
 * Keeps facts and derived documents. `append` and `putHost` resolve once the record is durable and survives a crash.
 * A failed write rejects with `StoreUnavailableError` and changes nothing that is read; reads keep working.
 * Returned records are shared: treat them as frozen.
 */
export type Store = {
  /** Appends facts; after a crash either all of a call are there or none. */
  append(facts: readonly Fact[]): Promise<void>
  hostFacts(host: string): Promise<HostFacts>
  /** The newest record of each receiver, by `networkAddressKey`. */
  receivers(): Promise<ReadonlyMap<string, ReceiverRecord>>
  /** Every record of one receiver, oldest first. */
  receiver(network: string, address: string): Promise<readonly ReceiverRecord[]>
  /** Stores the derived state of a host, replacing the previous document. */
  putHost(document: HostDocument): Promise<void>
  getHost(host: string): Promise<HostDocument | undefined>
  hosts(): AsyncIterable<HostDocument>
  changes(query: FeedQuery): Promise<FeedPage<Change>>
  /** Incidents in their latest state, ordered by detection time. */
  incidents(query: FeedQuery): Promise<FeedPage<Incident>>
  /** The latest report of each day, oldest first. */
  reports(): Promise<readonly Report[]>
  readonly claims: ClaimStore
  /** Flushes and closes the store. */
  close(): Promise<void>
}
