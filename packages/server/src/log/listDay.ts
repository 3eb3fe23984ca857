import { networkAddressKey } from '@touchstone402/shared'
import { readLeaf } from '@touchstone402/shared/log'
import { dayKey } from '../domain/facts/leaves.ts'
import { DAY } from '../domain/facts/times.ts'
import { listNamedReceivers } from '../domain/judge/namedReceivers.ts'
import { writeInput } from '../domain/publish/publishedInputs.ts'
import { createLookWriter, LOOK_FORM, type LookForm } from '../domain/publish/publishedLook.ts'
import type { Store } from '../ports/store.ts'

/** Receivers of one host and day whose chain records are published; a seller that names more is judged by its rotation. */
const MAX_RECEIVERS = 500

/**
 * Yields the looks of a host within a day, one line each, as they are published: by endpoint, then by time. A day that
 * is logged keeps the form of its leaf.
 * @param date `YYYY-MM-DD`
 */
export async function* listDay(
  store: Pick<Store, 'log' | 'looks' | 'summary'>,
  host: string,
  date: string,
): AsyncIterable<string> {
  const write = createLookWriter(await formOf(store, host, date))
  for await (const look of looksOf(store, host, date)) yield `${write(look)}\n`
}

/**
 * Yields what judgements of a host read beside its looks at the end of a day, one line each: the newest listing of each
 * directory, announcements, test purchases, and chain records of the receivers that the day's looks name.
 */
export async function* listInputs(
  store: Pick<Store, 'hostFacts' | 'listings' | 'looks' | 'purchases' | 'receiver' | 'summary'>,
  host: string,
  date: string,
): AsyncIterable<string> {
  const { to } = spanOf(date)
  const endpoints = await endpointsOf(store, host)
  const listed = await store.listings(endpoints)
  for (const endpoint of endpoints) {
    const known = (listed.get(endpoint) ?? []).filter(({ at }) => at <= to)
    // The last one of each directory wins.
    const newest = new Map(known.map((listing) => [listing.directory, listing]))
    for (const directory of [...newest.keys()].sort()) {
      const listing = newest.get(directory)
      if (listing !== undefined) yield `${writeInput(listing)}\n`
    }
  }
  const { announcements } = await store.hostFacts(host, to)
  const purchases = await store.purchases(host)
  for (const fact of [...announcements, ...purchases]) if (fact.at <= to) yield `${writeInput(fact)}\n`
  for (const { network, payTo } of await namedOn(store, host, date))
    for (const record of await store.receiver(network, payTo, to)) yield `${writeInput(record)}\n`
}

/** Returns the receivers that the looks of a day name, each once, in the order of the looks. */
async function namedOn(store: Pick<Store, 'looks' | 'summary'>, host: string, date: string) {
  const named = new Map<string, { network: string; payTo: string }>()
  for await (const look of looksOf(store, host, date)) {
    for (const { network, payTo } of listNamedReceivers(look)) {
      if (named.size < MAX_RECEIVERS) named.set(networkAddressKey(network, payTo), { network, payTo })
    }
  }
  return named.values()
}

async function* looksOf(store: Pick<Store, 'looks' | 'summary'>, host: string, date: string) {
  const range = spanOf(date)
  for (const endpoint of await endpointsOf(store, host)) yield* store.looks(endpoint, range)
}

async function endpointsOf(store: Pick<Store, 'summary'>, host: string): Promise<readonly string[]> {
  const { endpoints = [] } = (await store.summary(host)) ?? {}
  return endpoints.map(({ endpoint }) => endpoint)
}

function spanOf(date: string) {
  const from = Date.parse(`${date}T00:00:00Z`)
  return { from, to: from + DAY - 1 }
}

async function formOf({ log }: Pick<Store, 'log'>, host: string, date: string): Promise<LookForm> {
  const index = await log.find(dayKey(host, date))
  const [entry] = typeof index === 'number' ? await log.entries(index, index + 1) : []
  if (entry === undefined) return LOOK_FORM
  return readLeaf(Buffer.from(entry.leaf)).form === 2 ? 2 : 1
}
