import type { FeedPage, FeedQuery } from '../../ports/oldStore.ts'
import { getOrAdd } from './getOrAdd.ts'
import { createTimeline, type Timeline } from './timeline.ts'

/** Fields by which a feed finds a record. */
type Published = { readonly id: string; readonly host: string; readonly endpoint: string }

/** Position of a record in time. */
type Slot<T> = { readonly at: number; record: T }

/** Published records by time, host and endpoint. A record that is published again keeps its position. */
export type Feed<T> = {
  put(record: T): void
  /** Returns all records of a host, oldest first. */
  ofHost(host: string): T[]
  query(query: FeedQuery): FeedPage<T>
}

/** Creates an empty feed; `timeOf` returns a record's time in ms. */
export function createFeed<T extends Published>(timeOf: (record: T) => number): Feed<T> {
  const newTimeline = () => createTimeline<Slot<T>>((slot) => slot.at)
  const all = newTimeline()
  const byId = new Map<string, Slot<T>>()
  const byHost = new Map<string, Timeline<Slot<T>>>()
  const byEndpoint = new Map<string, Timeline<Slot<T>>>()

  const put = (record: T): void => {
    const known = byId.get(record.id)
    if (known) {
      known.record = record
      return
    }
    const slot = { at: timeOf(record), record }
    byId.set(record.id, slot)
    all.insert(slot)
    getOrAdd(byHost, record.host, newTimeline).insert(slot)
    getOrAdd(byEndpoint, record.endpoint, newTimeline).insert(slot)
  }

  const query = ({ since, limit, host, endpoint }: FeedQuery): FeedPage<T> => {
    const line =
      endpoint !== undefined ? byEndpoint.get(endpoint) : host !== undefined ? byHost.get(host) : all
    if (!line) return { records: [], total: 0 }
    let { entries } = line
    let from = line.indexFrom(since)
    if (endpoint !== undefined && host !== undefined) {
      entries = entries.slice(from).filter(({ record }) => record.host === host)
      from = 0
    }
    const newest = entries.slice(Math.max(from, entries.length - limit)).reverse()
    return { records: newest.map((slot) => slot.record), total: entries.length - from }
  }

  return {
    put,
    query,
    ofHost: (host) => (byHost.get(host)?.entries ?? []).map((slot) => slot.record),
  }
}
