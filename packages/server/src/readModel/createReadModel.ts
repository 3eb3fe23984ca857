import { isTemplate, matchesTemplate } from '@touchstone402/shared'
import type { CategoryPrice, EndpointState, HostDocument } from '../domain/facts/hostDocument.ts'
import { priceCategories } from '../domain/publish/catalog.ts'
import type { Match } from '../domain/publish/verdict.ts'
import type { Store } from '../ports/oldStore.ts'
import { createReceiverCounts } from './createReceiverCounts.ts'
import { createSchedule, type Schedule } from './createSchedule.ts'

/** All host documents in memory, for free answers and the crawl. */
export type ReadModel = {
  /** Finds an endpoint by its canonical key, or else the listed template that matches it. */
  find(key: string): { state: EndpointState; match: Match } | undefined
  host(host: string): HostDocument | undefined
  /** All documents sorted by host. A new host creates a new list; an update replaces an item in place. */
  hosts(): readonly HostDocument[]
  /** When each endpoint is due for a probe. */
  readonly schedule: Omit<Schedule, 'set' | 'delete'>
  /** Stores a document durably, then updates the model. */
  put(document: HostDocument): Promise<void>
  /** Reloads a host, or with null every host, from a store that other processes write to. */
  refresh(host: string | null): Promise<void>
  /** Returns the price of a real category, or of everything listed. */
  categoryPrice(category: string | null): CategoryPrice | undefined
  /** Number of hosts that currently name a receiver; null if none does. */
  sharedBy(network: string, address: string): number | null
  /** Counter of changes; equal numbers mean equal content. */
  revision(): number
}

/** Loads every document of a store. */
export async function createReadModel(store: Store): Promise<ReadModel> {
  const documents = new Map<string, HostDocument>()
  const schedule = createSchedule()
  const receivers = createReceiverCounts()
  const index = (document: HostDocument, before: HostDocument | undefined) => {
    receivers.set(document, before)
    const kept = new Set(document.endpoints.map(({ endpoint }) => endpoint))
    for (const { endpoint } of before?.endpoints ?? []) if (!kept.has(endpoint)) schedule.delete(endpoint)
    for (const { endpoint, nextProbeAt } of document.endpoints)
      schedule.set(endpoint, document.host, nextProbeAt)
  }
  for await (const document of store.hosts()) {
    documents.set(document.host, document)
    index(document, undefined)
  }
  let revision = 0
  let list = [...documents.values()].sort((a, b) => (a.host < b.host ? -1 : 1))
  let categories: { at: number; prices: Map<string | null, CategoryPrice> } | null = null
  const show = (document: HostDocument) => {
    const before = documents.get(document.host)
    documents.set(document.host, document)
    index(document, before)
    const place = placeOf(list, document.host)
    // Inserting in place would make a reader that pauses see a host twice.
    if (before === undefined) list = list.toSpliced(place, 0, document)
    else list[place] = document
    revision++
  }
  return {
    hosts: () => list,
    schedule,
    sharedBy: receivers.hostsOf,
    host: (host) => documents.get(host),
    revision: () => revision,
    find(key) {
      const endpoints = documents.get(hostOf(key))?.endpoints ?? []
      const exact = endpoints.find(({ endpoint }) => endpoint === key)
      if (exact !== undefined) return { state: exact, match: 'exact' }
      const template = endpoints.find(
        ({ endpoint }) => isTemplate(endpoint) && matchesTemplate(endpoint, key),
      )
      return template === undefined ? undefined : { state: template, match: 'template' }
    },
    async put(document) {
      await store.putHost(document)
      show(document)
    },
    async refresh(host) {
      if (host === null) {
        for await (const document of store.hosts()) show(document)
        return
      }
      const document = await store.getHost(host)
      if (document !== undefined) show(document)
    },
    categoryPrice(category) {
      // Medians change slowly, so recompute them only after many updates.
      if (categories === null || revision - categories.at >= Math.max(1, documents.size / 4)) {
        categories = { at: revision, prices: priceCategories(documents.values()) }
      }
      return categories.prices.get(category) ?? categories.prices.get(null)
    },
  }
}

/** Returns the index at which a host is, or would be, in the sorted list. */
function placeOf(list: readonly HostDocument[], host: string): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((list[middle]?.host ?? '') < host) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the host, with its port, of a canonical key. */
export function hostOf(key: string): string {
  const begin = key.indexOf('//') + 2
  return key.slice(begin, key.indexOf('/', begin))
}
