import type { Change, Incident } from '@touchstone402/shared'
import { networkAddressKey } from '@touchstone402/shared'
import type { Fact, Time } from '../../../domain/facts/facts.ts'
import type { FeedPage, FeedQuery } from '../../../ports/store.ts'

/** Returns the subjects by which a fact is found: endpoint, host or receiver. */
export function subjectsOf(fact: Fact): string[] {
  switch (fact.kind) {
    case 'receiver':
      return [`receiver ${networkAddressKey(fact.network, fact.address)}`]
    case 'change':
      return [`at ${fact.change.endpoint}`]
    case 'incident':
      return [`at ${fact.incident.endpoint}`]
    case 'report':
      return []
    case 'announcement':
      return [`of ${fact.host}`]
    default:
      return [`at ${fact.endpoint}`, `of ${fact.host}`]
  }
}

export const changedAt = ({ at }: Change) => Date.parse(at)
export const detectedAt = (incident: Incident) => Date.parse(incident.detectedAt)

/** Returns the due keys, earliest first. */
export function dueOf(list: ReadonlyMap<string, Time>, now: Time): [string, Time][] {
  return [...list].filter(([, time]) => time <= now).sort(([, a], [, b]) => a - b)
}

/** Returns a page of a feed, newest first. */
export function pageOf<T extends Change | Incident>(
  records: readonly T[],
  { since, limit, host, endpoint, after }: FeedQuery,
  timeOf: (record: T) => Time,
): FeedPage<T> {
  const sorted = [...records].sort((a, b) => timeOf(a) - timeOf(b)).reverse()
  const isFound = (record: T) =>
    timeOf(record) >= since &&
    (host === undefined || record.host === host) &&
    (endpoint === undefined || record.endpoint === endpoint)
  const place = sorted.findIndex(({ id }) => id === after?.id)
  const isBehind = (record: T, index: number) =>
    after === undefined || (place < 0 ? timeOf(record) < after.at : index > place)
  return {
    records: sorted.filter(isBehind).filter(isFound).slice(0, limit),
    total: sorted.filter(isFound).length,
  }
}
