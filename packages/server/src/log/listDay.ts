import { type Incident, networkAddressKey } from '@touchstone402/shared'
import type { ReceiverRecord, Time } from '../facts/facts.ts'
import { DAY, MINUTE } from '../facts/times.ts'
import { listNamedReceivers } from '../judge/offers.ts'
import { isPurchasePublished, writeInput } from '../publish/publishedInputs.ts'
import { writeObservation } from '../publish/publishedObservation.ts'
import { readEndpointFacts, readHostFacts, readPurchases, readReceiverRecords } from '../store/facts.ts'
import { readSummary } from '../store/hosts.ts'
import { readObservations } from '../store/observations.ts'
import type { Store } from '../store/store.ts'

/** Receivers of one host and day whose chain records are published; a seller that names more is judged by its rotation. */
const MAX_RECEIVERS = 500

/** Time within which the chain records of a receiver are listed once; a judgement reads newer ones after hours. */
const RECORDS_EVERY_MS = 30 * MINUTE

/** Returns whether the probes of a day, such as `2026-01-31`, are published: from 24 hours after its end on. */
export const isDayOpen = (date: string, now: Time): boolean =>
  Date.parse(`${date}T00:00:00Z`) + 2 * DAY <= now

/**
 * Yields the probes of a host within a day, one line each, as they are published: by endpoint, then by time.
 * @param date `YYYY-MM-DD`
 */
export async function* listDay(store: Store, host: string, date: string): AsyncIterable<string> {
  for await (const observation of observationsOf(store, host, date))
    yield `${writeObservation(observation)}\n`
}

/**
 * Yields what judgements of a host read beside its probes on a day, one line each: the newest listing of each directory,
 * announcements, published test purchases, and chain records of the receivers that the day's probes name, as of each probe.
 */
export async function* listInputs(store: Store, host: string, date: string): AsyncIterable<string> {
  const { to } = spanOf(date)
  const endpoints = await endpointsOf(store, host)
  const incidents: Incident[] = []
  for (const endpoint of endpoints) {
    const facts = await readEndpointFacts(store, endpoint)
    incidents.push(...facts.incidents)
    const known = facts.listings.filter(({ at }) => at <= to)
    // The last one of each directory wins.
    const newest = new Map(known.map((listing) => [listing.directory, listing]))
    for (const directory of [...newest.keys()].sort()) {
      const listing = newest.get(directory)
      if (listing !== undefined) yield `${writeInput(listing)}\n`
    }
  }
  const { announcements } = await readHostFacts(store, host)
  for (const fact of announcements) if (fact.at <= to) yield `${writeInput(fact)}\n`
  for (const fact of await readPurchases(store, host))
    if (isPurchasePublished(fact, incidents, to)) yield `${writeInput(fact)}\n`
  for (const { network, payTo, times } of await namedOn(store, host, date)) {
    const records = new Map<string, ReceiverRecord>()
    for (const until of [...times, to])
      for (const record of await readReceiverRecords(store, network, payTo, until))
        records.set(record.id, record)
    for (const record of records.values()) yield `${writeInput(record)}\n`
  }
}

type Named = { readonly network: string; readonly payTo: string; readonly times: number[] }

/**
 * Returns the receivers that the probes of a day name, in the order of the probes, with the times before the next probes:
 * a record that a judgement reads is made between its probe and the next one.
 */
async function namedOn(store: Store, host: string, date: string): Promise<Iterable<Named>> {
  const named = new Map<string, Named>()
  for await (const observation of observationsOf(store, host, date)) {
    for (const { network, payTo } of listNamedReceivers(observation)) {
      const key = networkAddressKey(network, payTo)
      const known = named.get(key)
      const before = observation.at - 1
      if (known === undefined && named.size < MAX_RECEIVERS) named.set(key, { network, payTo, times: [] })
      else if (known !== undefined && before - (known.times.at(-1) ?? 0) >= RECORDS_EVERY_MS)
        known.times.push(before)
    }
  }
  return named.values()
}

async function* observationsOf(store: Store, host: string, date: string) {
  const range = spanOf(date)
  for (const endpoint of await endpointsOf(store, host)) yield* await readObservations(store, endpoint, range)
}

async function endpointsOf(store: Store, host: string): Promise<readonly string[]> {
  const { endpoints = [] } = (await readSummary(store, host)) ?? {}
  return endpoints.map(({ endpoint }) => endpoint)
}

function spanOf(date: string) {
  const from = Date.parse(`${date}T00:00:00Z`)
  return { from, to: from + DAY - 1 }
}
