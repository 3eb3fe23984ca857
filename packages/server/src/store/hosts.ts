import { networkAddressKey, VERDICTS, type VerdictCode } from '@touchstone402/shared'
import { sql } from 'kysely'
import type { Time } from '../facts/facts.ts'
import type {
  EndpointRow,
  EndpointState,
  HostDocument,
  HostRank,
  HostSummary,
} from '../facts/hostDocument.ts'
import { searchable } from '../facts/searchable.ts'
import type { EndpointGroup, Totals } from '../facts/totals.ts'
import type { Db } from './schema.ts'
import { slicesOf } from './slices.ts'
import type { Reader, Tx } from './tx.ts'

/** Orders of hosts. `best`: verdict, score, name; `providers`: most live endpoints, score; `age`: first seen; `names`. */
export type HostOrder = 'best' | 'providers' | 'age' | 'names'

/** The store, which brings hosts up to date in units of its own. */
type Refresher = Reader & { write(unit: 'refreshHosts', now: Time): Promise<number> }

/** Selects hosts with a judged and listed endpoint. */
export type HostQuery = {
  readonly order: HostOrder
  /** Hosts of one verdict only. */
  readonly verdict?: VerdictCode
  /** Hosts with a working endpoint only. @default false */
  readonly isWorking?: boolean
  /** Number of hosts to leave out at the start. @default 0 */
  readonly skip?: number
  /** Of `names`: continues behind a name. */
  readonly after?: string
  readonly limit: number
}

/** Endpoints that a directory or their host names. Paths known only from paid checks are not shown. */
const IS_LISTED = ['listed_by_json', '<>', '[]'] as const

/** Reads the list summaries of hosts, in the order of the names. Hosts without a judged and listed endpoint are left out. */
export const readSummaries = ({ db }: Reader, hosts: readonly string[]): Promise<HostSummary[]> =>
  readJudged<EndpointRow>(db, hosts, 'row_json')

/** Reads the list summary of a host's judged and listed endpoints; undefined without any. */
export const readSummary = async (reader: Reader, host: string): Promise<HostSummary | undefined> =>
  (await readSummaries(reader, [host]))[0]

async function readJudged<T>(db: Db, hosts: readonly string[], column: 'row_json' | 'state_json') {
  const found = new Map<string, { host: string; endpoints: T[]; updatedAt: Time }>()
  for (const some of slicesOf(hosts)) {
    const rows = await db
      .selectFrom('endpoint')
      .innerJoin('host', 'host.name', 'endpoint.host')
      .select(['endpoint.host', `endpoint.${column} as json`, 'updated_at'])
      .where('endpoint.host', 'in', some)
      .where(column, 'is not', null)
      .where(...IS_LISTED)
      .orderBy('url')
      .execute()
    for (const { host, json, updated_at } of rows) {
      const judged = found.get(host) ?? { host, endpoints: [], updatedAt: updated_at ?? 0 }
      found.set(host, judged)
      if (json !== null) judged.endpoints.push(JSON.parse(json))
    }
  }
  return hosts.flatMap((host) => found.get(host) ?? [])
}

/** Reads a host's judged and listed endpoints, by endpoint; undefined without any. */
export const readHost = async ({ db }: Reader, host: string): Promise<HostDocument | undefined> =>
  (await readJudged<EndpointState>(db, [host], 'state_json'))[0]

/** Updates a host's row from its endpoints, as of a time; a host without endpoints is dropped. */
export async function refreshHost({ db, derive }: Tx, host: string, now: Time): Promise<void> {
  const due = await db
    .selectFrom('endpoint')
    .select(({ fn }) => [fn.min('due_at').as('at'), fn.countAll<number>().as('endpoints')])
    .where('host', '=', host)
    .executeTakeFirst()
  if (due?.endpoints === 0) {
    await db.deleteFrom('host').where('name', '=', host).execute()
    return
  }
  const summary = await readSummary({ db }, host)
  const dueAt = due?.at ?? null
  // A host with more due endpoints keeps its turn among those that wait.
  const isWaiting = dueAt !== null && dueAt <= now
  await db
    .updateTable('host')
    .set((eb) => ({
      due_at: isWaiting
        ? eb.case().when('due_at', '>', dueAt).then(eb.ref('due_at')).else(dueAt).end()
        : dueAt,
      ...(summary === undefined
        ? UNRANKED
        : {
            ...placeOf(derive.rankOf(summary, now)),
            documents_at: eb.fn.coalesce('documents_at', eb.val(now)),
            updated_at: now,
          }),
    }))
    .where('name', '=', host)
    .execute()
}

/** A host without a listed endpoint. */
const UNRANKED = { rank: null, live: null, first_seen: null, valid_until: null }

function placeOf({ rank, live, firstSeen, validUntil }: HostRank) {
  return { rank, live, first_seen: firstSeen, valid_until: validUntil }
}

/** Hosts that are brought up to date in one unit. */
const REFRESHED_AT_ONCE = 200

/** Updates hosts with expired verdicts. Returns their number. */
export async function refreshHosts({ db, derive }: Tx, now: Time): Promise<number> {
  const expired = await db
    .selectFrom('host')
    .select('name')
    .where('valid_until', '<=', now)
    .limit(REFRESHED_AT_ONCE)
    .execute()
  for (const { name } of expired) {
    const summary = await readSummary({ db }, name)
    const row = summary === undefined ? UNRANKED : placeOf(derive.rankOf(summary, now))
    await db.updateTable('host').set(row).where('name', '=', name).execute()
  }
  return expired.length
}

/** Updates all hosts with expired verdicts. */
export async function refreshExpired(store: Refresher, now: Time): Promise<void> {
  while (await hasExpired(store, now)) await store.write('refreshHosts', now)
}

/** Whether a host's verdict has expired of which its row does not know. */
async function hasExpired({ db }: Reader, now: Time): Promise<boolean> {
  const query = db.selectFrom('host').select('name').where('valid_until', '<=', now).limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

/** Reads the names of hosts in an order. A verdict that has expired counts as unknown. */
export async function readHosts(
  store: Refresher,
  { order, verdict, isWorking, skip = 0, after, limit }: HostQuery,
  now: Time,
): Promise<string[]> {
  await refreshExpired(store, now)
  const { db } = store
  const first = verdict === undefined ? 0 : RANKS * VERDICTS.indexOf(verdict)
  const judged = db
    .selectFrom('host')
    .select('name')
    .where('rank', '>=', first)
    .$if(verdict !== undefined, (query) => query.where('rank', '<', first + RANKS))
    .$if(isWorking === true, (query) => query.where('live', '>', 0))
    .$if(after !== undefined, (query) => query.where('name', '>', after ?? ''))
  const ordered = {
    best: () => judged.orderBy('rank'),
    providers: () => judged.where('rank', '<', RANKS).orderBy('live', 'desc').orderBy('rank'),
    age: () => judged.orderBy('first_seen'),
    names: () => judged,
  }[order]()
  const rows = await ordered.orderBy('name').limit(limit).offset(skip).execute()
  return rows.map(({ name }) => name)
}

/** Counts the hosts of a verdict, as `readHosts` lists them. */
export async function countHosts({ db }: Reader, verdict: VerdictCode): Promise<number> {
  const first = RANKS * VERDICTS.indexOf(verdict)
  const { count } = await db
    .selectFrom('host')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('rank', '>=', first)
    .where('rank', '<', first + RANKS)
    .executeTakeFirstOrThrow()
  return count
}

/** Ranks of one verdict. */
const RANKS = 1000

/** Counts the hosts that name a receiver now. */
export async function countPaid({ db }: Reader, network: string, address: string): Promise<number> {
  const { count } = await db
    .selectFrom('endpoint')
    .select(({ fn }) => fn.count<number>('host').distinct().as('count'))
    .where('receiver', '=', searchable(networkAddressKey(network, address)))
    .where(...IS_LISTED)
    .executeTakeFirstOrThrow()
  return count
}

/** Finds hosts that name a receiver now on any of some networks, in order of their names, and their number. */
export async function searchPaid(
  { db }: Reader,
  networks: readonly string[],
  address: string,
  limit: number,
): Promise<{ hosts: string[]; total: number }> {
  const keys = networks.map((network) => searchable(networkAddressKey(network, address)))
  const found = db
    .selectFrom('endpoint')
    .where('receiver', 'in', keys)
    .where(...IS_LISTED)
  const rows = await found.select('host').distinct().orderBy('host').limit(limit).execute()
  const { total } = await found
    .select(({ fn }) => fn.count<number>('host').distinct().as('total'))
    .executeTakeFirstOrThrow()
  return { hosts: rows.map(({ host }) => host), total }
}

/** Length of the top lists. */
const TOP = 10

/** By what endpoints are counted, beside their verdict and status. */
const ALIKE = [
  'category',
  'price_usd',
  'stability',
  'receiver_profile',
  'flags_json',
  'listed_by_json',
  'unhealthy_in_json',
] as const

/** Counts everything. Reads every endpoint and host once. */
export async function countAll({ db }: Tx, now: Time): Promise<Totals> {
  const startedMs = performance.now()
  const isCurrent = sql<boolean>`expires_at > ${now}`
  const groups = await db
    .selectFrom('endpoint')
    .select(({ fn }) => [
      sql<VerdictCode>`case when ${isCurrent} then verdict else 'unknown' end`.as('verdict'),
      sql<
        EndpointGroup['status']
      >`case when ${isCurrent} and verdict <> 'unknown' then status else 'unmeasured' end`.as('status'),
      ...ALIKE,
      fn.countAll<number>().as('count'),
    ])
    .where('state_json', 'is not', null)
    .where(...IS_LISTED)
    .groupBy([sql`1`, sql`2`, ...ALIKE])
    .execute()
  const prices = await db
    .selectFrom('endpoint')
    .innerJoin('host', 'host.name', 'endpoint.host')
    .select(['endpoint.host', 'category', 'price_usd', 'first_seen'])
    .distinct()
    .where('status', '=', 'live')
    .where('expires_at', '>', now)
    .where('price_usd', 'is not', null)
    .where(...IS_LISTED)
    .execute()
  const hosts = await db
    .selectFrom('host')
    .select(({ fn }) => [
      sql<number>`rank / ${sql.lit(RANKS)}`.as('place'),
      sql<number>`case when live > 0 then 1 else 0 end`.as('is_working'),
      fn.countAll<number>().as('count'),
      fn.min<number>('first_seen').as('first_seen'),
    ])
    .where('rank', 'is not', null)
    .groupBy([sql`1`, sql`2`])
    .execute()
  const { receivers } = await db
    .selectFrom('receiver')
    .select(({ fn }) => fn.count<number>('receiver').distinct().as('receivers'))
    .executeTakeFirstOrThrow()
  const providers = await db
    .selectFrom('host')
    .select(['name', 'live', 'rank'])
    .where('rank', '<', RANKS)
    .orderBy('live', 'desc')
    .orderBy('rank')
    .orderBy('name')
    .limit(TOP)
    .execute()
  const healthy = await db
    .selectFrom('endpoint')
    .innerJoin('host', 'host.name', 'endpoint.host')
    .select('row_json')
    .where('verdict', '=', 'safe')
    .where('expires_at', '>', now)
    .where('rank', '<', RANKS)
    .where(...IS_LISTED)
    .orderBy('score', 'desc')
    .orderBy('url')
    .limit(TOP)
    .execute()
  return {
    at: now,
    tookMs: performance.now() - startedMs,
    endpoints: groups.map(
      ({ price_usd, receiver_profile, flags_json, listed_by_json, unhealthy_in_json, ...group }) => ({
        ...group,
        priceUsd: price_usd,
        receiverProfile: receiver_profile,
        flags: JSON.parse(flags_json ?? '[]'),
        listedBy: JSON.parse(listed_by_json ?? '[]'),
        unhealthyIn: JSON.parse(unhealthy_in_json ?? '[]'),
      }),
    ),
    prices: prices.map(({ host, category, price_usd, first_seen }) => ({
      host,
      category,
      priceUsd: price_usd ?? 0,
      firstSeen: first_seen ?? now,
    })),
    hosts: hosts.map(({ place, is_working, count }) => ({
      verdict: VERDICTS[place] ?? 'unknown',
      isWorking: is_working === 1,
      count,
    })),
    firstSeen: hosts.length === 0 ? null : Math.min(...hosts.map(({ first_seen }) => first_seen)),
    receivers,
    providers: providers.map(({ name, live, rank }) => ({
      host: name,
      live: live ?? 0,
      trustScore: rank === null || rank > 100 ? null : 100 - rank,
    })),
    healthy: healthy.flatMap(({ row_json }) => (row_json === null ? [] : [JSON.parse(row_json)])),
  }
}
