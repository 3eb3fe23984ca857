import { decisionKey } from '../../domain/facts/leaves.ts'
import { StoreOpenError } from '../../domain/facts/storeError.ts'
import { MINUTE } from '../../domain/facts/times.ts'
import type { Claim } from '../../ports/claims.ts'
import type { Store, StoredDocument } from '../../ports/store.ts'
import { copyLeaves } from './copyLeaves.ts'
import { putExpiring } from './expiring/postgresExpiring.ts'
import { putClaims } from './postgres/createPostgresClaims.ts'
import { type Database, openDatabase } from './postgres/database.ts'
import { numberEndpoints, numberOf } from './postgres/endpoints.ts'
import { toKey } from './postgres/keyText.ts'
import { migrateDatabase, type PostgresStoreOptions } from './postgres/openPostgresStore.ts'
import { createPartitions } from './postgres/partitions.ts'
import { putBase } from './postgres/retention.ts'
import { createWriter, type Write } from './postgres/writes.ts'

/** Numbers of copied records. */
export type Copied = {
  /** Looks, listings, purchases, announcements, receivers, changes, incidents, reports and control probes. */
  readonly facts: number
  readonly days: number
  readonly documents: number
  readonly claims: number
}

/** Number of facts or claims per transaction. */
const BATCH = 1_000
const STATEMENT_TIMEOUT_MS = 10 * MINUTE
/** Tables that a copy fills. */
const TABLES =
  'endpoint, shape, look, kept_look, base, day, summary, total, rank, due, fact, receiver, newest, published, claim, log_waiting, log_key, log_entry, log_tile, expiring'

/**
 * Copies a store into an empty database, in batches. The database cannot be opened until the copy has ended; one that
 * was interrupted starts again from nothing.
 * @throws StoreOpenError if the database holds records
 * @throws StoreUnavailableError if the database is unavailable
 */
export async function copyStore(from: Store, to: PostgresStoreOptions): Promise<Copied> {
  await migrateDatabase(to)
  const now = to.now ?? Date.now
  const database = openDatabase({ statementTimeoutMs: STATEMENT_TIMEOUT_MS, ...to })
  try {
    await begin(database)
    const write = createWriter(database, createPartitions(database, now, to.retentionDays ?? 90))
    const facts = await copyFacts(from, write)
    const claims = await copyClaims(from, database)
    await copyLeaves(from, database)
    for await (const document of from.expiring.all()) await putExpiring(database, document)
    const { days, documents } = await copyDocuments(from, database, write, now())
    await database.query('DELETE FROM copying')
    return { facts, days, documents, claims }
  } finally {
    await database.close()
  }
}

/** Marks the database, and empties it if an earlier copy left records there. */
function begin(database: Database): Promise<void> {
  return database.transaction(async (client) => {
    await client.query('LOCK TABLE copying IN ACCESS EXCLUSIVE MODE')
    const { rows } = await client.query<{ is_begun: boolean; is_used: boolean }>(
      `SELECT EXISTS (SELECT FROM copying) AS is_begun, EXISTS (SELECT FROM endpoint) OR EXISTS (SELECT FROM fact)
         OR EXISTS (SELECT FROM published) OR EXISTS (SELECT FROM newest) OR EXISTS (SELECT FROM claim)
         OR EXISTS (SELECT FROM log_entry) AS is_used`,
    )
    const [found] = rows
    if (found?.is_begun) await client.query(`TRUNCATE ${TABLES}; UPDATE log_state SET size = 0, head = NULL`)
    else if (found?.is_used)
      throw new StoreOpenError('The database holds records already: copy into an empty one')
    else await client.query('INSERT INTO copying DEFAULT VALUES')
  })
}

type Writer = (wanted: Partial<Write>) => Promise<void>

async function copyFacts(from: Store, write: Writer): Promise<number> {
  let copied = 0
  for await (const facts of inBatches(from.facts())) {
    await write({ facts })
    copied += facts.length
  }
  return copied
}

async function copyClaims(from: Store, database: Database): Promise<number> {
  let copied = 0
  for await (const claims of inBatches<Claim>(from.claims.all())) {
    await database.transaction((client) => putClaims(client, claims))
    copied += claims.length
  }
  return copied
}

/** Copies documents, days and bases, host by host. */
async function copyDocuments(from: Store, database: Database, write: Writer, now: number) {
  let [days, documents] = [0, 0]
  for await (const host of from.ranked('names', now)) {
    for (const state of (await from.host(host))?.endpoints ?? []) {
      const document = await from.endpoint(state.endpoint)
      if (!document) continue
      const ended = await from.days(state.endpoint)
      await write({ days: ended, documents: [document] })
      await copyBase(from, database, state)
      await copyLogIndex(database, document)
      days += ended.length
      documents += 1
    }
  }
  return { days, documents }
}

/** Copies which leaf of the log covers a decision. */
async function copyLogIndex(database: Database, { state, logIndex }: StoredDocument): Promise<void> {
  if (typeof logIndex !== 'number') return
  const key = toKey(decisionKey(state.endpoint))
  await database.query('INSERT INTO log_key (key, index) VALUES ($1, $2)', [key, logIndex])
}

async function copyBase(from: Store, database: Database, place: { endpoint: string; host: string }) {
  const base = await from.base(place.endpoint)
  if (!base) return
  let until = base.lastAt + 1
  for await (const { at } of from.looks(place.endpoint)) {
    until = at
    break
  }
  await database.transaction(async (client) => {
    const numbers = await numberEndpoints(client, [place])
    await putBase(client, numberOf(numbers, place.endpoint), base, until)
  })
}

async function* inBatches<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
