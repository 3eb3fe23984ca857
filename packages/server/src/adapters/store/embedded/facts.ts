import { networkAddressKey, type Report } from '@touchstone402/shared'
import type { DailyMeasurements } from '../../../domain/facts/dailyMeasurements.ts'
import type {
  Announcement,
  DailyReport,
  Fact,
  Listing,
  Observation,
  PublishedChange,
  PublishedIncident,
  Purchase,
  ReceiverRecord,
  Time,
} from '../../../domain/facts/facts.ts'
import { groupBy } from '../../../domain/facts/groupBy.ts'
import type { EndpointFacts, HostFacts } from '../../../ports/store.ts'
import type { Transaction } from './createWriter.ts'
import { setDueOnce } from './due.ts'
import { putPublished, recordsOf } from './feeds.ts'
import { between, keyOf, MAX_TIME, text, time, uint, within } from './keys.ts'
import { appendLooks, controlsOf, looksAt, newestLook } from './looks.ts'
import { carryDropped, dropOldLooks, type Retention } from './retention.ts'
import { collect, first, fromBytes, NOTHING, read, type Source, toBytes } from './source.ts'

const SEQUENCE_BYTES = 6

const listingsOf = (endpoint: string) => keyOf('L', text(endpoint))
const purchasesOf = (endpoint: string) => keyOf('p', text(endpoint))
const purchasesAt = (host: string) => keyOf('P', text(host))
const announcementsOf = (host: string) => keyOf('a', text(host))
const daysOf = (endpoint: string) => keyOf('y', text(endpoint))
const reportKey = (date: string) => keyOf('r', text(date))
/** Number of receivers that have a record. */
const RECEIVERS = keyOf('w')

/** Appends facts to what is written. */
export async function putFacts(tx: Transaction, facts: readonly Fact[], retention: Retention): Promise<void> {
  const looks: Observation[] = []
  const orderOf = (at: Time) => time(at) + uint(tx.nextSequence(), SEQUENCE_BYTES)
  for (const fact of facts) {
    switch (fact.kind) {
      case 'observation':
        looks.push(fact)
        break
      case 'listing':
        tx.put(listingsOf(fact.endpoint) + orderOf(fact.at), toBytes(fact))
        await setDueOnce(tx, 'looks', fact.endpoint, fact.at)
        break
      case 'purchase': {
        const order = orderOf(fact.at)
        tx.put(purchasesOf(fact.endpoint) + order, toBytes(fact))
        tx.put(purchasesAt(fact.host) + order, toBytes(fact))
        break
      }
      case 'announcement':
        tx.put(announcementsOf(fact.host) + orderOf(fact.at), toBytes(fact))
        break
      case 'receiver':
        await putReceiver(tx, fact, orderOf(fact.at))
        break
      case 'report':
        await putNewest(tx, reportKey(fact.report.date), fact)
        break
      default:
        await putPublished(tx, fact)
    }
  }
  const isControl = ({ purpose }: Observation) => purpose === 'control'
  const probes = looks.filter((look) => !isControl(look))
  for (const [endpoint, own] of groupBy(probes, (look) => look.endpoint)) {
    const meta = await appendLooks(tx, looksAt(endpoint), own)
    const dropped = await dropOldLooks(tx, looksAt(endpoint), meta, retention.retentionDays)
    await carryDropped(tx, endpoint, meta.number, dropped, retention.carry)
  }
  for (const [host, own] of groupBy(looks.filter(isControl), (look) => look.host)) {
    const meta = await appendLooks(tx, controlsOf(host), own)
    await dropOldLooks(tx, controlsOf(host), meta, retention.retentionDays)
  }
}

/** Replaces a record by one that is not older. */
async function putNewest(tx: Transaction, key: string, fact: Fact): Promise<void> {
  const before = await read<Fact>(tx, key)
  if (before === undefined || fact.at >= before.at) tx.put(key, toBytes(fact))
}

const receiverPart = (network: string, address: string) => text(networkAddressKey(network, address))

async function putReceiver(tx: Transaction, record: ReceiverRecord, order: string): Promise<void> {
  const receiver = receiverPart(record.network, record.address)
  if ((await first(tx, within(keyOf('v', receiver)))) === undefined) tx.add(RECEIVERS, 1)
  tx.put(keyOf('v', receiver, order), toBytes(record))
  if ((record.sanctions?.isListed ?? null) !== null) tx.put(keyOf('V', receiver, order), NOTHING)
}

/** Returns the first record of a receiver, the newest with an answer of the oracle, and the newest, oldest first. */
export async function readReceiver(
  source: Source,
  { network, address, until = MAX_TIME }: { network: string; address: string; until: Time | undefined },
): Promise<ReceiverRecord[]> {
  const receiver = receiverPart(network, address)
  const records = between(keyOf('v', receiver), 0, until)
  const [oldest, answered, newest] = await Promise.all([
    first(source, records),
    first(source, between(keyOf('V', receiver), 0, until), true),
    first(source, records, true),
  ])
  if (oldest === undefined || newest === undefined) return []
  const found = new Map([oldest, newest])
  const answeredKey = answered && `v${answered[0].slice(1)}`
  if (answeredKey !== undefined && !found.has(answeredKey)) {
    const value = await source.get(answeredKey)
    if (value) found.set(answeredKey, value)
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => fromBytes<ReceiverRecord>(value))
}

/** Reads what a judgement needs of an endpoint. */
export async function readEndpointFacts(source: Source, endpoint: string): Promise<EndpointFacts> {
  const [listings, purchases, changes, incidents] = await Promise.all([
    readListings(source, endpoint),
    collect(source, within(purchasesOf(endpoint)), fromBytes<Purchase>),
    recordsOf<PublishedChange>(source, 'change', endpoint),
    recordsOf<PublishedIncident>(source, 'incident', endpoint),
  ])
  return {
    listings,
    purchases,
    changes: changes.map(({ change }) => change),
    incidents: incidents.map(({ incident }) => incident),
  }
}

/** Reads what a judgement needs of a host, as of a time. */
export async function readHostFacts(source: Source, host: string, until = MAX_TIME): Promise<HostFacts> {
  const [announcements, control] = await Promise.all([
    collect(source, between(announcementsOf(host), 0, until), fromBytes<Announcement>),
    newestLook(source, controlsOf(host), until),
  ])
  return { announcements, control }
}

export function readListings(source: Source, endpoint: string): Promise<Listing[]> {
  return collect(source, within(listingsOf(endpoint)), fromBytes<Listing>)
}

export function readPurchases(source: Source, host: string): Promise<Purchase[]> {
  return collect(source, within(purchasesAt(host)), fromBytes<Purchase>)
}

/** Adds or replaces days of endpoints. */
export function putDays(tx: Transaction, days: readonly DailyMeasurements[]): void {
  for (const day of days) tx.put(daysOf(day.endpoint) + text(day.date), toBytes(day))
}

export function readDays(source: Source, endpoint: string): Promise<DailyMeasurements[]> {
  return collect(source, within(daysOf(endpoint)), fromBytes<DailyMeasurements>)
}

export function readReports(source: Source): Promise<Report[]> {
  return collect(source, within(keyOf('r')), (bytes) => fromBytes<DailyReport>(bytes).report)
}

export async function readReceivers(source: Source): Promise<number> {
  return Number((await source.get(RECEIVERS)) ?? 0)
}
