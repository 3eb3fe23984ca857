import type { Change, Incident, Report } from '@touchstone402/shared'
import { addDays, type DailyMeasurements } from '../../domain/facts/dailyMeasurements.ts'
import type {
  Announcement,
  DailyReport,
  Fact,
  Listing,
  Observation,
  Purchase,
  ReceiverRecord,
} from '../../domain/facts/facts.ts'
import type { FeedPage, FeedQuery, HostFacts } from '../../ports/store.ts'
import { createFeed } from './createFeed.ts'
import { shareParts } from './shareParts.ts'
import { createTimeline, type Timeline } from './timeline.ts'

/** Facts in memory, arranged so that every read costs as much as its result. */
export type FactIndex = {
  add(fact: Fact): void
  /** Adds a day; a second one of the same endpoint and date is added up with the first. */
  addDaily(day: DailyMeasurements): void
  /** Adds an observation that outlives its folded day. */
  addKept(observation: Observation): void
  /** A host's observations from before a moment that are not folded yet, oldest first. */
  unfolded(host: string, before: number): Observation[]
  /** Lets go of what `unfolded` names. */
  dropUnfolded(host: string, before: number): void
  /** Hosts of which anything is known. */
  hosts(): IterableIterator<string>
  hostFacts(host: string): HostFacts
  receivers(): Map<string, ReceiverRecord>
  receiver(network: string, address: string): ReceiverRecord[]
  changes(query: FeedQuery): FeedPage<Change>
  incidents(query: FeedQuery): FeedPage<Incident>
  /** Of each day the last report, oldest first. */
  reports(): Report[]
  /** Time of the newest observation in milliseconds, or 0 without any. */
  newestObservationAt(): number
}

type HostRecords = {
  readonly listings: Timeline<Listing>
  readonly observations: Timeline<Observation>
  /** Those of the observations that outlived their folded day. */
  readonly kept: Set<Observation>
  readonly daily: Timeline<DailyMeasurements>
  readonly announcements: Timeline<Announcement>
  readonly purchases: Timeline<Purchase>
  /** The last observation of each endpoint, whose parts the next one shares. */
  readonly last: Map<string, Observation>
}

function timelineByAt<T extends { readonly at: number }>(): Timeline<T> {
  return createTimeline((record) => record.at)
}

/** Makes an empty index. */
export function createFactIndex(): FactIndex {
  const hosts = new Map<string, HostRecords>()
  const receivers = new Map<string, Timeline<ReceiverRecord>>()
  const changes = createFeed<Change>((change) => Date.parse(change.at))
  const incidents = createFeed<Incident>((incident) => Date.parse(incident.detectedAt))
  const reports = new Map<string, DailyReport>()
  let newest = 0

  const add = (fact: Fact): void => {
    switch (fact.kind) {
      case 'listing':
        recordsOf(fact.host).listings.insert(fact)
        break
      case 'observation':
        addObservation(fact)
        break
      case 'announcement':
        recordsOf(fact.host).announcements.insert(fact)
        break
      case 'purchase':
        recordsOf(fact.host).purchases.insert(fact)
        break
      case 'receiver':
        receiverRecords(receiverKey(fact.network, fact.address)).insert(fact)
        break
      case 'change':
        changes.put(fact.change)
        break
      case 'incident':
        incidents.put(fact.incident)
        break
      case 'report':
        addReport(fact)
        break
    }
  }

  const addObservation = (fact: Observation): Observation => {
    const { observations, last } = recordsOf(fact.host)
    const shared = shareParts(fact, last.get(fact.endpoint))
    last.set(shared.endpoint, shared)
    observations.insert(shared)
    newest = Math.max(newest, fact.at)
    return shared
  }

  const addReport = (fact: DailyReport): void => {
    const known = reports.get(fact.report.date)
    if (!known || known.at <= fact.at) reports.set(fact.report.date, fact)
  }

  const addDaily = (day: DailyMeasurements): void => {
    const { daily } = recordsOf(day.host)
    const isSame = (one: DailyMeasurements) => one.date === day.date && one.endpoint === day.endpoint
    const known = daily.entries.slice(daily.indexFrom(Date.parse(day.date))).find(isSame)
    if (known) daily.filter((one) => one !== known)
    daily.insert(known ? addDays(known, day) : day)
  }

  const unfolded = (host: string, before: number): Observation[] => {
    const records = hosts.get(host)
    if (!records) return []
    const old = records.observations.entries.slice(0, records.observations.indexFrom(before))
    return old.filter((one) => !records.kept.has(one))
  }

  const hostFacts = (host: string): HostFacts => {
    const records = hosts.get(host)
    return {
      listings: records?.listings.entries.slice() ?? [],
      observations: records?.observations.entries.slice() ?? [],
      daily: records?.daily.entries.slice() ?? [],
      announcements: records?.announcements.entries.slice() ?? [],
      purchases: records?.purchases.entries.slice() ?? [],
      changes: changes.ofHost(host),
      incidents: incidents.ofHost(host),
    }
  }

  const newestReceivers = (): Map<string, ReceiverRecord> => {
    const result = new Map<string, ReceiverRecord>()
    for (const [key, line] of receivers) {
      const record = line.entries.at(-1)
      if (record) result.set(key, record)
    }
    return result
  }

  return {
    add,
    addDaily,
    addKept: (observation) => void recordsOf(observation.host).kept.add(addObservation(observation)),
    unfolded,
    dropUnfolded(host, before) {
      const records = hosts.get(host)
      const old = new Set(unfolded(host, before))
      if (records && old.size > 0) records.observations.filter((one) => !old.has(one))
    },
    hosts: () => hosts.keys(),
    hostFacts,
    receivers: newestReceivers,
    receiver: (network, address) => receivers.get(receiverKey(network, address))?.entries.slice() ?? [],
    changes: changes.query,
    incidents: incidents.query,
    reports: () =>
      [...reports.values()].map(({ report }) => report).sort((a, b) => (a.date < b.date ? -1 : 1)),
    newestObservationAt: () => newest,
  }

  function recordsOf(host: string): HostRecords {
    const known = hosts.get(host)
    if (known) return known
    const fresh: HostRecords = {
      listings: timelineByAt(),
      observations: timelineByAt(),
      kept: new Set(),
      daily: createTimeline((day) => Date.parse(day.date)),
      announcements: timelineByAt(),
      purchases: timelineByAt(),
      last: new Map(),
    }
    hosts.set(host, fresh)
    return fresh
  }

  function receiverRecords(key: string): Timeline<ReceiverRecord> {
    const known = receivers.get(key)
    if (known) return known
    const fresh = timelineByAt<ReceiverRecord>()
    receivers.set(key, fresh)
    return fresh
  }
}

/** The key of a receiver: `network address`, lower case. */
export function receiverKey(network: string, address: string): string {
  return `${network} ${address}`.toLowerCase()
}
