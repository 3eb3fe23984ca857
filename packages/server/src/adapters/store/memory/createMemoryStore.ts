import { networkAddressKey } from '@touchstone402/shared'
import type { DailyMeasurements } from '../../../domain/facts/dailyMeasurements.ts'
import type { DailyReport, Fact, Listing, ReceiverRecord, Time } from '../../../domain/facts/facts.ts'
import type { EndpointDocument, HostSummary } from '../../../domain/facts/hostDocument.ts'
import { decisionKey } from '../../../domain/facts/leaves.ts'
import { StoreUnavailableError } from '../../../domain/facts/storeError.ts'
import {
  type HostIndex,
  indexHost,
  type RankedIndex,
  updateSummary,
} from '../../../domain/publish/hostIndex.ts'
import type { Changed, DueList, Store, Written } from '../../../ports/store.ts'
import { createClaimBook } from '../createClaimBook.ts'
import { createMemoryExpiring } from '../expiring/createMemoryExpiring.ts'
import { createMemoryLog } from '../log/createMemoryLog.ts'
import { changedAt, detectedAt, dueOf, pageOf, subjectsOf } from './lookUps.ts'

/** Options of `createMemoryStore`. */
export type MemoryStoreOptions = {
  /** Unix time in ms. @default Date.now */
  readonly now?: () => number
}

/** Creates a store without persistence, for tests: the plainest thing that keeps the contract. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const facts: Fact[] = []
  /** Facts by endpoint, by host and by receiver. */
  const bySubject = new Map<string, Fact[]>()
  const documents = new Map<string, EndpointDocument>()
  const summaries = new Map<string, HostSummary>()
  const days = new Map<string, DailyMeasurements>()
  const due: Record<DueList, Map<string, Time>> = { looks: new Map(), documents: new Map() }
  const watchers = new Set<(changed: Changed | null) => void>()
  const log = createMemoryLog((changed) => {
    for (const onChange of watchers) onChange(changed)
  })
  let closed = false

  const checkOpen = (): void => {
    if (closed) throw new StoreUnavailableError('The store is closed')
  }
  const claims = createClaimBook({
    async persist(claim) {
      checkOpen()
      claims.restore(claim)
    },
    now: options.now ?? Date.now,
  })
  const add = (added: readonly Fact[]) => {
    for (const fact of added) {
      facts.push(fact)
      for (const subject of subjectsOf(fact)) {
        const known = bySubject.get(subject)
        if (known === undefined) bySubject.set(subject, [fact])
        else known.push(fact)
      }
      if (fact.kind === 'listing' && !due.looks.has(fact.endpoint)) due.looks.set(fact.endpoint, fact.at)
    }
  }
  const about = (subject: string | undefined) =>
    subject === undefined ? facts : (bySubject.get(subject) ?? [])
  const of = <K extends Fact['kind']>(kind: K, subject?: string) =>
    about(subject)
      .filter((fact): fact is Extract<Fact, { kind: K }> => fact.kind === kind)
      .sort((a, b) => a.at - b.at)
  // By order of writing, since the state of a record is the last one written.
  const latest = <T extends { readonly id: string }>(written: readonly T[], timeOf: (record: T) => Time) =>
    [...new Map(written.map((record) => [record.id, record])).values()].sort((a, b) => timeOf(a) - timeOf(b))
  const changes = (subject?: string) =>
    latest(
      about(subject).flatMap((fact) => (fact.kind === 'change' ? [fact.change] : [])),
      changedAt,
    )
  const incidents = (subject?: string) =>
    latest(
      about(subject).flatMap((fact) => (fact.kind === 'incident' ? [fact.incident] : [])),
      detectedAt,
    )
  const readLogged = async (endpoint: string) => {
    const logIndex = await log.find(decisionKey(endpoint))
    return logIndex === undefined ? {} : { logIndex }
  }
  /** Indexes that were made, by summary. */
  const made = new WeakMap<HostSummary, { readonly at: Time; readonly index: HostIndex }>()
  const indexes = (now: Time) =>
    [...summaries.values()].map((summary) => {
      const before = made.get(summary)
      if (before !== undefined && before.at <= now && now < before.index.validUntil) return before.index
      const index = indexHost(summary, now)
      made.set(summary, { at: now, index })
      return index
    })

  return {
    async append(added, leaves = []) {
      checkOpen()
      add(added)
      log.put(leaves)
    },
    async putEndpoint(document, written: Written = { facts: [], days: [] }) {
      checkOpen()
      const { state } = document
      add(written.facts)
      for (const day of written.days) days.set(`${day.endpoint} ${day.date}`, day)
      documents.set(state.endpoint, document)
      if (!summaries.has(state.host)) due.documents.set(state.host, state.derivedAt)
      summaries.set(state.host, updateSummary(summaries.get(state.host), state))
      due.looks.set(state.endpoint, state.nextProbeAt)
      log.put(written.leaves ?? [])
      for (const onChange of watchers) onChange({ host: state.host, endpoint: state.endpoint })
    },
    async endpoint(endpoint) {
      const document = documents.get(endpoint)
      return document && { ...document, ...(await readLogged(endpoint)) }
    },
    async state(endpoint) {
      const document = documents.get(endpoint)
      return document && { state: document.state, ...(await readLogged(endpoint)) }
    },
    async host(host) {
      const summary = summaries.get(host)
      const endpoints = summary?.endpoints.flatMap(({ endpoint }) => documents.get(endpoint)?.state ?? [])
      return summary && endpoints && { host, endpoints, updatedAt: summary.updatedAt }
    },
    summary: async (host) => summaries.get(host),
    endpointFacts: async (endpoint) => ({
      listings: of('listing', `at ${endpoint}`),
      purchases: of('purchase', `at ${endpoint}`),
      changes: changes(`at ${endpoint}`),
      incidents: incidents(`at ${endpoint}`),
    }),
    hostFacts: async (host, until = Number.POSITIVE_INFINITY) => ({
      announcements: of('announcement', `of ${host}`).filter((fact) => fact.at <= until),
      control: of('observation', `of ${host}`).findLast(
        (fact) => fact.purpose === 'control' && fact.at <= until,
      ),
    }),
    async listings(endpoints) {
      const found = endpoints.map((endpoint): [string, Listing[]] => [
        endpoint,
        of('listing', `at ${endpoint}`),
      ])
      return new Map(found.filter(([, listings]) => listings.length > 0))
    },
    purchases: async (host) => of('purchase', `of ${host}`),
    async *looks(endpoint, { from = 0, to = Number.POSITIVE_INFINITY } = {}) {
      yield* of('observation', `at ${endpoint}`).filter((look) => look.at >= from && look.at <= to)
    },
    cited: async (endpoint, ids) => of('observation', `at ${endpoint}`).filter(({ id }) => ids.includes(id)),
    base: async () => undefined,
    days: async (endpoint) =>
      [...days.values()]
        .filter((day) => day.endpoint === endpoint)
        .sort((a, b) => (a.date < b.date ? -1 : 1)),
    async receiver(network, address, until = Number.POSITIVE_INFINITY) {
      const key = networkAddressKey(network, address)
      const known = of('receiver', `receiver ${key}`).filter((record) => record.at <= until)
      const answered = known.findLast(({ sanctions }) => (sanctions?.isListed ?? null) !== null)
      const read = new Set([known[0], answered, known.at(-1)])
      return known.filter((record: ReceiverRecord) => read.has(record))
    },
    countReceivers: async () =>
      new Set(of('receiver').map(({ network, address }) => networkAddressKey(network, address))).size,
    changes: async (query) => pageOf(changes(), query, changedAt),
    incidents: async ({ open, ...query }) =>
      pageOf(
        incidents().filter(({ status }) => open !== true || status === 'open'),
        query,
        detectedAt,
      ),
    incident: async (id) => incidents().find((incident) => incident.id === id),
    async *facts() {
      const entry = ({ id }: { readonly id: string }, at: Time) => ({ id, at })
      yield* [...facts]
        .sort((a, b) => a.at - b.at)
        .filter(({ kind }) => kind !== 'change' && kind !== 'incident')
      for (const change of changes())
        yield { kind: 'change', ...entry(change, changedAt(change)), change } as const
      for (const incident of incidents())
        yield { kind: 'incident', ...entry(incident, detectedAt(incident)), incident } as const
    },
    reports: async () => {
      const newest = new Map(of('report').map((fact: DailyReport) => [fact.report.date, fact.report]))
      return [...newest.values()].sort((a, b) => (a.date < b.date ? -1 : 1))
    },
    async counts(prefix, now) {
      const sums = new Map<string, number>()
      for (const { counts } of indexes(now)) {
        for (const [name, count] of counts)
          if (name.startsWith(prefix)) sums.set(name, (sums.get(name) ?? 0) + count)
      }
      return sums
    },
    async count(name) {
      const now = (options.now ?? Date.now)()
      return indexes(now).reduce((sum, { counts }) => sum + (counts.get(name) ?? 0), 0)
    },
    async *ranked(
      index: RankedIndex,
      now,
      { prefix = '', after = '', limit = Number.POSITIVE_INFINITY } = {},
    ) {
      const keys = indexes(now).flatMap(({ entries }) => entries.filter((entry) => entry.index === index))
      yield* keys
        .map(({ key }) => key)
        .filter((key) => key.startsWith(prefix) && key > after)
        .sort()
        .slice(0, limit)
    },
    async searchHosts(text, limit) {
      const hosts = [...summaries.keys()].filter((host) => host.includes(text)).sort()
      return { hosts: hosts.slice(0, limit), total: hosts.length }
    },
    async claimDue(list, now, again, limit) {
      checkOpen()
      const taken = dueOf(due[list], now).slice(0, limit)
      for (const [key] of taken) due[list].set(key, again)
      return taken.map(([key]) => key)
    },
    nextDue: async (list) => (due[list].size === 0 ? null : Math.min(...due[list].values())),
    countDue: async (list, now) => dueOf(due[list], now).length,
    newestAt: async () =>
      summaries.size === 0 ? null : Math.max(...[...summaries.values()].map(({ updatedAt }) => updatedAt)),
    async watch(onChange) {
      watchers.add(onChange)
      return async () => void watchers.delete(onChange)
    },
    claims,
    log,
    expiring: createMemoryExpiring(),
    stats: () => ({ diskBytes: null, rowsRead: 0 }),
    async close() {
      closed = true
    },
  }
}
