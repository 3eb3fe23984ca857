import type { FeedPage, FeedQuery } from '../../ports/store.ts'
import { createTimeline, type Timeline } from './timeline.ts'

/** What a published record needs to have to be found in a feed. */
type Published = { readonly id: string; readonly host: string; readonly endpoint: string }

/** Place of a record in time; the record is replaced in it when it is published again. */
type Slot<T> = { readonly at: number; record: T }

/** Published records by time, host and endpoint; a record that comes again replaces its former state and keeps its place. */
export type Feed<T> = {
  put(record: T): void
  /** Every record of a host, oldest first. */
  ofHost(host: string): T[]
  query(query: FeedQuery): FeedPage<T>
}

/** Makes an empty feed; `timeOf` tells when a record happened, in milliseconds. */
export function createFeed<T extends Published>(timeOf: (record: T) => number): Feed<T> {
  const all = createTimeline<Slot<T>>((slot) => slot.at)
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
    timelineOf(byHost, record.host).insert(slot)
    timelineOf(byEndpoint, record.endpoint).insert(slot)
  }

  const query = ({ since, limit, host, endpoint }: FeedQuery): FeedPage<T> => {
    const line =
      endpoint !== undefined ? byEndpoint.get(endpoint) : host !== undefined ? byHost.get(host) : all
    if (!line) return { records: [], total: 0 }
    const from = line.indexFrom(since)
    if (endpoint === undefined || host === undefined) {
      const newest = line.entries.slice(Math.max(from, line.entries.length - limit))
      return { records: newest.reverse().map((slot) => slot.record), total: line.entries.length - from }
    }
    const matching = line.entries.slice(from).flatMap(({ record }) => (record.host === host ? [record] : []))
    return { records: matching.slice(Math.max(0, matching.length - limit)).reverse(), total: matching.length }
  }

  return {
    put,
    query,
    ofHost: (host) => (byHost.get(host)?.entries ?? []).map((slot) => slot.record),
  }

  function timelineOf(map: Map<string, Timeline<Slot<T>>>, key: string): Timeline<Slot<T>> {
    const known = map.get(key)
    if (known) return known
    const fresh = createTimeline<Slot<T>>((slot) => slot.at)
    map.set(key, fresh)
    return fresh
  }
}
