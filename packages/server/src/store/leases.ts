import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Time } from '../facts/facts.ts'
import type { Db } from './schema.ts'
import type { Dialect, Reader, Tx } from './tx.ts'

/** The right to work on a host, or to lead, which ends by itself if it is not renewed. */
export type Lease = { readonly name: string; readonly token: string }

/** A host that was taken to be probed. */
export type HostLease = Lease & { readonly domain: string }

/** Which due hosts to take. */
export type TakeOptions = {
  readonly most: number
  /** Number of hosts of one registrable domain that may be worked on at a time. */
  readonly mostPerDomain: number
  /** Number of hosts that the caller works on already, by registrable domain. */
  readonly busy: ReadonlyMap<string, number>
}

/** Duration of a lease in ms, by the clock of the database. */
export const LEASE_MS = 30_000

const freshUntil = ({ now }: Dialect) => sql<number>`${now} + ${sql.lit(LEASE_MS)}`

/** Returns whether a lease is still held. It cannot be taken by another process before this transaction ends. */
export async function isHeld({ db, dialect }: Tx, { name, token }: Lease): Promise<boolean> {
  const held = await db
    .selectFrom('lease')
    .select('name')
    .where('name', '=', name)
    .where('token', '=', token)
    .where('until', '>', dialect.now)
    .$if(dialect.name === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()
  return held !== undefined
}

/** Takes a lease; null while another one of its name lasts. */
export async function takeLease({ db, dialect }: Tx, name: string): Promise<Lease | null> {
  const token = randomUUID()
  const until = freshUntil(dialect)
  const taken = await db
    .insertInto('lease')
    .values({ name, token, until })
    .onConflict((on) =>
      on.column('name').doUpdateSet({ token, until }).where('lease.until', '<=', dialect.now),
    )
    .returning('name')
    .executeTakeFirst()
  return taken === undefined ? null : { name, token }
}

/** Prolongs a lease. Returns false if it is lost. */
export async function renewLease({ db, dialect }: Tx, { name, token }: Lease): Promise<boolean> {
  const renewed = await db
    .updateTable('lease')
    .set({ until: freshUntil(dialect) })
    .where('name', '=', name)
    .where('token', '=', token)
    .where('until', '>', dialect.now)
    .executeTakeFirst()
  return renewed.numUpdatedRows > 0n
}

/** Ends a lease. A host with more due endpoints goes behind all that wait. */
export async function releaseLease({ db }: Tx, { name, token }: Lease, now: Time): Promise<void> {
  const ended = await db
    .deleteFrom('lease')
    .where('name', '=', name)
    .where('token', '=', token)
    .executeTakeFirst()
  if (ended.numDeletedRows === 0n) return
  const due = await db
    .selectFrom('endpoint')
    .select(({ fn }) => fn.min('due_at').as('at'))
    .where('host', '=', name)
    .executeTakeFirst()
  if (due?.at == null) return
  await db
    .updateTable('host')
    .set({ due_at: Math.max(due.at, now) })
    .where('name', '=', name)
    .execute()
}

/** Due hosts without a lease. */
const waiting = (db: Db, { now: databaseNow }: Dialect) =>
  db
    .selectFrom('host')
    .leftJoin('lease', 'lease.name', 'host.name')
    .where((eb) => eb.or([eb('lease.until', 'is', null), eb('lease.until', '<=', databaseNow)]))

/**
 * Takes due hosts without a lease, the one that has waited longest first, but not too many of one registrable domain.
 * @param now of the audit's clock, by which endpoints are due
 */
export async function takeHosts(
  tx: Tx,
  now: Time,
  { most, mostPerDomain, busy }: TakeOptions,
): Promise<HostLease[]> {
  const { db, dialect } = tx
  const counts = new Map(busy)
  const taken: HostLease[] = []
  while (taken.length < most) {
    const full = [...counts].flatMap(([domain, count]) => (count >= mostPerDomain ? [domain] : []))
    const candidates = await waiting(db, dialect)
      .select(['host.name', 'host.domain'])
      .where('host.due_at', '<=', now)
      .$if(full.length > 0, (query) => query.where('host.domain', 'not in', full))
      .where('host.name', 'not in', ['', ...taken.map(({ name }) => name)])
      .orderBy('host.due_at')
      .orderBy('host.name')
      .limit(4 * most)
      .$if(dialect.name === 'postgres', (query) => query.forUpdate('host').skipLocked())
      .execute()
    const before = taken.length
    for (const { name, domain } of candidates) {
      const count = counts.get(domain) ?? 0
      if (taken.length === most || count >= mostPerDomain) continue
      const lease = await takeLease(tx, name)
      if (lease === null) continue
      counts.set(domain, count + 1)
      taken.push({ ...lease, domain })
    }
    if (taken.length === before) break
  }
  return taken
}

/** Makes an endpoint due at a time, as after a probe that failed on our side. */
export async function postpone({ db }: Tx, endpoint: string, until: Time): Promise<void> {
  await db.updateTable('endpoint').set({ due_at: until }).where('url', '=', endpoint).execute()
}

/** Makes endpoints of a host due, and the host before all others. */
export async function putFirst(
  { db }: Tx,
  host: string,
  endpoints: readonly string[],
  now: Time,
): Promise<void> {
  await db
    .updateTable('endpoint')
    .set({ due_at: now })
    .where('host', '=', host)
    .where('url', 'in', endpoints)
    .where('due_at', '>', now)
    .execute()
  const first = await db
    .selectFrom('host')
    .select(({ fn }) => fn.min('due_at').as('at'))
    .executeTakeFirst()
  await db
    .updateTable('host')
    // A millisecond before all others: how long the first one waits says how far the crawl is behind.
    .set({ due_at: Math.min(now, first?.at ?? now) - 1 })
    .where('name', '=', host)
    .where('due_at', 'is not', null)
    .execute()
}

/**
 * Takes hosts whose own documents are due to be read, the longest wait first, and makes them due again at `again`: a process
 * that takes them and dies loses nothing.
 */
export async function takeDocuments(
  { db, dialect }: Tx,
  now: Time,
  again: Time,
  limit: number,
): Promise<string[]> {
  const due = await db
    .selectFrom('host')
    .select('name')
    .where('documents_at', '<=', now)
    .orderBy('documents_at')
    .orderBy('name')
    .limit(limit)
    .$if(dialect.name === 'postgres', (query) => query.forUpdate().skipLocked())
    .execute()
  const names = due.map(({ name }) => name)
  if (names.length > 0)
    await db.updateTable('host').set({ documents_at: again }).where('name', 'in', names).execute()
  return names
}

/** Makes the documents of a host due at a time, as after a reading that failed on our side. */
export async function postponeDocuments({ db }: Tx, host: string, until: Time): Promise<void> {
  await db.updateTable('host').set({ documents_at: until }).where('name', '=', host).execute()
}

/** Reads the due endpoints of a host, earliest first. */
export async function readDue({ db }: Reader, host: string, now: Time, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('endpoint')
    .select('url')
    .where('host', '=', host)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('url')
    .limit(limit)
    .execute()
  return rows.map(({ url }) => url)
}

/** Reads when the next host without a lease is due; null if none is. */
export async function readNextDue({ db, dialect }: Pick<Tx, 'db' | 'dialect'>): Promise<Time | null> {
  const next = await waiting(db, dialect)
    .select('host.due_at')
    .where('host.due_at', 'is not', null)
    .orderBy('host.due_at')
    .limit(1)
    .executeTakeFirst()
  return next?.due_at ?? null
}

/** Counts the due endpoints. */
export async function countDue({ db }: Reader, now: Time): Promise<number> {
  const { count } = await db
    .selectFrom('endpoint')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('due_at', '<=', now)
    .executeTakeFirstOrThrow()
  return count
}
