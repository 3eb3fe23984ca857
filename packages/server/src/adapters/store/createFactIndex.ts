import type { Change, Incident } from '@touchstone402/shared'
import { networkAddressKey } from '@touchstone402/shared'
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
import type { HostFacts, Store } from '../../ports/oldStore.ts'
import { createFeed } from './createFeed.ts'
import { getOrAdd } from './getOrAdd.ts'
import { shareParts } from './shareParts.ts'
import { createTimeline, type Timeline } from './timeline.ts'

/** Facts in memory, indexed so that the cost of a read is proportional to its result. */
export type FactIndex = {
  add(fact: Fact): void
  /** Adds a day, merging it with one of the same endpoint and date. */
  addDaily(day: DailyMeasurements): void
  /** Adds an observation that is kept although its day was folded. */
  addKept(observation: Observation): void
  /** Returns a host's unfolded observations before a time, oldest first. */
  unfolded(host: string, before: number): Observation[]
  /** Removes the observations that `unfolded` returns. */
  dropUnfolded(host: string, before: number): void
  /** Hosts with any record. */
  hosts(): IterableIterator<string>
  hostFacts(host: string): HostFacts
  /** Unix time in ms of the newest observation, 0 without any. */
  newestObservationAt(): number
  /** The reads of a store. */
  readonly reads: FactReads
}

/** The part of a store that reads facts. */
export type FactReads = Pick<
  Store,
  'hostFacts' | 'receivers' | 'receiver' | 'changes' | 'incidents' | 'reports'
>

function timelineByAt<T extends { readonly at: number }>(): Timeline<T> {
  return createTimeline((record) => record.at)
}

type HostRecords = ReturnType<typeof createRecords>

function createRecords() {
  return {
    listings: timelineByAt<Listing>(),
    observations: timelineByAt<Observation>(),
    /** Observations that are kept although their day was folded. */
    kept: new Set<Observation>(),
    daily: createTimeline((day: DailyMeasurements) => Date.parse(day.date)),
    announcements: timelineByAt<Announcement>(),
    purchases: timelineByAt<Purchase>(),
    /** The last observation of each endpoint; the next one shares its equal parts. */
    last: new Map<string, Observation>(),
  }
}

/** Creates an empty index. */
export function createFactIndex(): FactIndex {
  const hosts = new Map<string, HostRecords>()
  const receivers = new Map<string, Timeline<ReceiverRecord>>()
  const changes = createFeed<Change>((change) => Date.parse(change.at))
  const incidents = createFeed<Incident>((incident) => Date.parse(incident.detectedAt))
  const reports = new Map<string, DailyReport>()
  let newest = 0

  const recordsOf = (host: string): HostRecords => getOrAdd(hosts, host, createRecords)

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
        addReceiver(fact)
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

  const addReceiver = (fact: ReceiverRecord): void => {
    const key = networkAddressKey(fact.network, fact.address)
    getOrAdd(receivers, key, timelineByAt<ReceiverRecord>).insert(fact)
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
    const { observations, kept } = hosts.get(host) ?? createRecords()
    return observations.entries.slice(0, observations.indexFrom(before)).filter((one) => !kept.has(one))
  }

  const hostFacts = (host: string): HostFacts => {
    const { listings, observations, daily, announcements, purchases } = hosts.get(host) ?? createRecords()
    return {
      listings: listings.entries.slice(),
      observations: observations.entries.slice(),
      daily: daily.entries.slice(),
      announcements: announcements.entries.slice(),
      purchases: purchases.entries.slice(),
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
    newestObservationAt: () => newest,
    reads: {
      hostFacts: async (host) => hostFacts(host),
      receivers: async () => newestReceivers(),
      receiver: async (network, address) =>
        receivers.get(networkAddressKey(network, address))?.entries.slice() ?? [],
      changes: async (query) => changes.query(query),
      incidents: async (query) => incidents.query(query),
      reports: async () =>
        [...reports.values()].map(({ report }) => report).sort((a, b) => (a.date < b.date ? -1 : 1)),
    },
  }
}
