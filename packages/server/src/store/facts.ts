import { type Change, type Incident, networkAddressKey, type Report } from '@touchstone402/shared'
import type {
  Announcement,
  Fact,
  Listing,
  Observation,
  Purchase,
  ReceiverRecord,
  Time,
} from '../facts/facts.ts'
import { searchable } from '../facts/searchable.ts'
import { PROBES_KEPT_MS } from '../facts/times.ts'
import { readPublished, writePublished } from './feeds.ts'
import { readStanding } from './observations.ts'
import { slicesOf } from './slices.ts'
import { noteStanding } from './standing.ts'
import type { Reader, Tx } from './tx.ts'

/** Records of one endpoint that a judgement reads, oldest first; changes and incidents in their latest state. */
export type EndpointFacts = {
  readonly listings: readonly Listing[]
  readonly purchases: readonly Purchase[]
  readonly changes: readonly Change[]
  readonly incidents: readonly Incident[]
}

/** Records of a whole host that a judgement reads. */
export type HostFacts = {
  /** Oldest first. */
  readonly announcements: readonly Announcement[]
  /** The newest control probe. */
  readonly control: Observation | undefined
}

/** A fact that is about no endpoint's probes. */
export type OtherFact = Exclude<Fact, { kind: 'observation' | 'listing' }>

const parse = <T>(rows: readonly { readonly fact_json: string }[]): T[] =>
  rows.map(({ fact_json }) => JSON.parse(fact_json))

/** Adds a listing of an endpoint. */
export async function addListing({ db }: Tx, endpointId: number, listing: Listing): Promise<void> {
  const { id, at, directory, endpoint } = listing
  await db
    .insertInto('listing')
    .values({
      endpoint_id: endpointId,
      at,
      id,
      directory: searchable(directory),
      fact_json: JSON.stringify(listing),
    })
    .onConflict((on) => on.doNothing())
    .execute()
  // Judgements read the newest of each directory; the others are evidence for as long as probes are, or are cited.
  const own = db
    .selectFrom('listing')
    .where('endpoint_id', '=', endpointId)
    .where('directory', '=', searchable(directory))
  const old = await own
    .select('id')
    .where('at', '<', at - PROBES_KEPT_MS)
    .where(
      'at',
      '<',
      own.select(({ fn }) => fn.max('at').as('at')),
    )
    .execute()
  if (old.length === 0) return
  const incidents = await readPublished({ db }, 'incident', endpoint)
  const cited = new Set(incidents.flatMap(({ observations }) => observations))
  for (const one of await readStanding({ db }, endpointId)) cited.add(one)
  const ids = old.flatMap((one) => (cited.has(one.id) ? [] : [one.id]))
  for (const some of slicesOf(ids))
    await db.deleteFrom('listing').where('endpoint_id', '=', endpointId).where('id', 'in', some).execute()
}

/** Adds a fact. @param idOf returns the number of an endpoint, which is added if it is not known */
export async function addFact(
  tx: Tx,
  fact: OtherFact,
  idOf: (endpoint: string, host: string) => Promise<number>,
): Promise<void> {
  const { db } = tx
  switch (fact.kind) {
    case 'purchase': {
      const { id, at, endpoint, host } = fact
      const endpoint_id = await idOf(endpoint, host)
      const row = { endpoint_id, id, at, host, fact_json: JSON.stringify(fact) }
      await db
        .insertInto('purchase')
        .values(row)
        .onConflict((on) => on.doNothing())
        .execute()
      return
    }
    case 'announcement': {
      const { id, at, host } = fact
      const row = { id, at, host, fact_json: JSON.stringify(fact) }
      await db
        .insertInto('announcement')
        .values(row)
        .onConflict((on) => on.doNothing())
        .execute()
      return
    }
    case 'receiver':
      return addReceiver(tx, fact)
    case 'report': {
      const { at, report } = fact
      const row = { date: report.date, at, fact_json: JSON.stringify(report) }
      await db
        .insertInto('report')
        .values(row)
        .onConflict((on) => on.column('date').doUpdateSet(row).where('report.at', '<=', at))
        .execute()
      if (report.accuracy !== undefined) await noteStanding(tx, report)
      return
    }
    default:
      return writePublished(tx, fact)
  }
}

async function addReceiver({ db }: Tx, record: ReceiverRecord): Promise<void> {
  const { network, address, id, at } = record
  const receiver = searchable(networkAddressKey(network, address))
  const is_answered = record.sanctions?.isListed == null ? 0 : 1
  const row = { receiver, id, at, is_answered, fact_json: JSON.stringify(record) }
  await db
    .insertInto('receiver')
    .values(row)
    .onConflict((on) => on.doNothing())
    .execute()
  // The first record and those of the time of probes are read.
  await db
    .deleteFrom('receiver')
    .where('receiver', '=', receiver)
    .where('at', '<', at - PROBES_KEPT_MS)
    .where('at', '>', (eb) =>
      eb
        .selectFrom('receiver')
        .select(({ fn }) => fn.min('at').as('at'))
        .where('receiver', '=', receiver),
    )
    .execute()
}

/** Records of a receiver that are read first. */
const NEWEST = 4

/**
 * Reads the records of one receiver that a judgement reads, oldest first: its first, the newest with an answer of the oracle,
 * and the newest, as of a time.
 * @param until inclusive. @default no limit
 */
export async function readReceiverRecords(
  { db }: Reader,
  network: string,
  address: string,
  until: Time = Number.MAX_SAFE_INTEGER,
): Promise<ReceiverRecord[]> {
  const known = db
    .selectFrom('receiver')
    .select(['id', 'at', 'fact_json', 'is_answered'])
    .where('receiver', '=', searchable(networkAddressKey(network, address)))
    .where('at', '<=', until)
  const byAge = known.orderBy('at', 'desc').orderBy('id', 'desc')
  const newest = await byAge.limit(NEWEST).execute()
  // Most receivers have few records, which are all read then.
  const isAll = newest.length < NEWEST
  const first = isAll ? newest.at(-1) : await known.orderBy('at').orderBy('id').limit(1).executeTakeFirst()
  const answered =
    newest.find(({ is_answered }) => is_answered === 1) ??
    (isAll ? undefined : await byAge.where('is_answered', '=', 1).limit(1).executeTakeFirst())
  const rows = [first, answered, newest[0]].flatMap((row) => row ?? [])
  return parse([...new Map(rows.map((row) => [row.id, row])).values()])
}

/** Reads the endpoint's data for a judgement. */
export async function readEndpointFacts({ db }: Reader, endpoint: string): Promise<EndpointFacts> {
  const of = async (table: 'listing' | 'purchase') =>
    db
      .selectFrom(table)
      .innerJoin('endpoint', 'endpoint.id', 'endpoint_id')
      .select(`${table}.fact_json`)
      .where('url', '=', endpoint)
      .orderBy('at')
      .orderBy(`${table}.id`)
      .execute()
  return {
    listings: parse(await of('listing')),
    purchases: parse(await of('purchase')),
    changes: await readPublished({ db }, 'change', endpoint),
    incidents: await readPublished({ db }, 'incident', endpoint),
  }
}

/** Reads the host's data for a judgement. */
export async function readHostFacts({ db }: Reader, host: string): Promise<HostFacts> {
  const announced = await db
    .selectFrom('announcement')
    .select('fact_json')
    .where('host', '=', host)
    .orderBy('at')
    .orderBy('id')
    .execute()
  return { announcements: parse<Announcement>(announced), control: await readControl({ db }, host) }
}

/** Reads the newest control probe of a host. */
export async function readControl({ db }: Reader, host: string): Promise<Observation | undefined> {
  const known = await db.selectFrom('host').select('control_json').where('name', '=', host).executeTakeFirst()
  return known?.control_json == null ? undefined : JSON.parse(known.control_json)
}

/** Reads the newest listing of each directory of some endpoints. Endpoints without any are left out. */
export async function readListings(
  { db }: Reader,
  endpoints: readonly string[],
): Promise<ReadonlyMap<string, readonly Listing[]>> {
  const found = new Map<string, Listing[]>()
  for (const urls of slicesOf(endpoints)) {
    const rows = await db
      .selectFrom('listing')
      .innerJoin('endpoint', 'endpoint.id', 'endpoint_id')
      .select(['url', 'directory', 'fact_json'])
      .where('url', 'in', urls)
      .orderBy('at')
      .orderBy('listing.id')
      .execute()
    for (const url of new Set(rows.map((row) => row.url))) {
      const own = rows.filter((row) => row.url === url)
      const newest = new Map(own.map((row) => [row.directory, row]))
      found.set(url, parse([...newest.values()]))
    }
  }
  return found
}

/** Reads the purchases at a host, oldest first. */
export async function readPurchases({ db }: Reader, host: string): Promise<Purchase[]> {
  const query = db.selectFrom('purchase').select('fact_json').where('host', '=', host)
  return parse(await query.orderBy('at').orderBy('id').execute())
}

/**
 * Reads the latest report of each day, oldest first.
 * @param since first date, `YYYY-MM-DD`. @default all
 * @param until last date. @default the newest
 */
export async function readReports({ db }: Reader, since = '', until?: string): Promise<Report[]> {
  const query = db
    .selectFrom('report')
    .select('fact_json')
    .where('date', '>=', since)
    .$if(until !== undefined, (matching) => matching.where('date', '<=', until ?? ''))
  return parse(await query.orderBy('date').execute())
}

/** Reads the report of the newest date; undefined before the first. */
export async function readLatestReport({ db }: Reader): Promise<Report | undefined> {
  const query = db.selectFrom('report').select('fact_json').orderBy('date', 'desc').limit(1)
  const [report] = parse<Report>(await query.execute())
  return report
}
