import type { Change, Incident, Report } from '@touchstone402/shared'
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
  Time,
} from '../../../domain/facts/facts.ts'
import { groupBy } from '../../../domain/facts/groupBy.ts'
import type { EndpointFacts, HostFacts } from '../../../ports/store.ts'
import type { Transaction } from './createWriter.ts'
import { setDueOnce } from './due.ts'
import { putPublished } from './feeds.ts'
import { between, keyOf, MAX_TIME, text, time, uint, within } from './keys.ts'
import { appendLooks, controlsOf, looksAt, newestLook } from './looks.ts'
import { putReceiver } from './receivers.ts'
import { carryDropped, dropOldLooks, type Retention } from './retention.ts'
import { collect, fromBytes, NOTHING, read, type Source, toBytes } from './source.ts'

const SEQUENCE_BYTES = 6

const listingsOf = (endpoint: string) => keyOf('e', text(endpoint), 'l')
const purchasesOf = (endpoint: string) => keyOf('e', text(endpoint), 'p')
const purchasesAt = (host: string) => keyOf('P', text(host))
const announcementsOf = (host: string) => keyOf('a', text(host))
const announcedBy = (host: string) => keyOf('B', text(host))
const controlOf = (host: string) => keyOf('k', text(host))
const daysOf = (endpoint: string) => keyOf('y', text(endpoint))
const reportKey = (date: string) => keyOf('r', text(date))

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
        tx.put(announcedBy(fact.host), NOTHING)
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
    for (const control of own) await putNewest(tx, controlOf(host), control)
  }
}

/** Replaces a record by one that is not older. */
async function putNewest(tx: Transaction, key: string, fact: Fact): Promise<void> {
  const before = await read<Fact>(tx, key)
  if (before === undefined || fact.at >= before.at) tx.put(key, toBytes(fact))
}

/** Reads what a judgement needs of an endpoint. */
export async function readEndpointFacts(source: Source, endpoint: string): Promise<EndpointFacts> {
  const listings: Listing[] = []
  const purchases: Purchase[] = []
  const changes: Change[] = []
  const incidents: Incident[] = []
  for await (const [, value] of source.list(within(keyOf('e', text(endpoint))))) {
    const fact = fromBytes<Listing | Purchase | PublishedChange | PublishedIncident>(value)
    if (fact.kind === 'listing') listings.push(fact)
    else if (fact.kind === 'purchase') purchases.push(fact)
    else if (fact.kind === 'change') changes.push(fact.change)
    else incidents.push(fact.incident)
  }
  return { listings, purchases, changes, incidents }
}

/** Reads what a judgement needs of a host, as of a time. */
export async function readHostFacts(source: Source, host: string, until = MAX_TIME): Promise<HostFacts> {
  const [announced, control] = await source.getMany([announcedBy(host), controlOf(host)])
  // Few hosts announce anything, and an iterator costs several times what a read costs.
  const announcements = announced
    ? await collect(source, between(announcementsOf(host), 0, until), fromBytes<Announcement>)
    : []
  const newest = control && fromBytes<Observation>(control)
  const isKnown = newest === undefined || newest.at <= until
  return { announcements, control: isKnown ? newest : await newestLook(source, controlsOf(host), until) }
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
