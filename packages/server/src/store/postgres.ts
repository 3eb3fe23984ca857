import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely'
import pg from 'pg'
import {
  ClaimStateError,
  LeaseLostError,
  StoreOpenError,
  StoreUnavailableError,
} from '../facts/storeError.ts'
import { messageOf } from '../lib/errors.ts'
import type { ArgumentsOf, Engine, UnitName } from './engine.ts'
import { createListener } from './listen.ts'
import { readBegunKeys } from './log.ts'
import { FORMAT, migrate, readFormat } from './migrations.ts'
import type { Db, Tables } from './schema.ts'
import type { Changed, Derivation, Dialect, Tx } from './tx.ts'
import { runUnit } from './units.ts'

/** Name of the schema that holds the tables, and of the channel on which processes notify each other. */
export const SCHEMA = 'touchstone'

/** How PostgreSQL names things. */
export const POSTGRES: Dialect = {
  name: 'postgres',
  now: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
}

export type PostgresOptions = {
  /** `postgres://user:password@host/database`. */
  readonly url: string
  /** Maximum number of connections. @default 10 */
  readonly connections?: number
  /** Time without a database after which `onGone` is called, in ms. @default 300000 */
  readonly patienceMs?: number
  /** Called once when the database has been gone for too long; nothing is waited for any more. @default ignored */
  readonly onGone?: (reason: string) => void
}

const STATEMENT_TIMEOUT_MS = 15_000
/** A large table takes long to change, and a process waits while another one migrates. */
const MIGRATION_TIMEOUT_MS = 30 * 60_000
const CONNECT_TIMEOUT_MS = 5_000
/** Interval of the question whether the connection that listens still answers. */
const LISTEN_CHECK_MS = 10_000
/** Interval of the question whether the database is there. */
const PING_MS = 5_000
/** Maximum size of a notification in bytes; PostgreSQL allows 8,000. */
const MAX_PAYLOAD = 7_900
/** A transaction that lost a race is run again so many times. */
const TRIES = 5
/** 64-bit integers, such as times, as numbers. */
const INT8 = 20

/**
 * Connects to PostgreSQL and migrates the tables. Connections that are lost are made again.
 * @throws StoreOpenError if an option is wrong, a newer version made the tables, or a pooler hands connections round
 * @throws StoreUnavailableError if the database cannot be reached
 */
export async function connectPostgres({
  url,
  connections = 10,
}: Pick<PostgresOptions, 'url' | 'connections'>) {
  if (!/^postgres(ql)?:\/\//.test(url)) throw new StoreOpenError('A database URL must begin with postgres://')
  await prepare(url)
  const pool = openPool(url, connections, STATEMENT_TIMEOUT_MS)
  return { pool, db: toKysely(pool) }
}

/**
 * Opens PostgreSQL, listens to the notifications of other processes, and tells when the database is gone for too long.
 * @throws the errors of {@link connectPostgres}
 */
export async function openPostgres(options: PostgresOptions, derive: Derivation): Promise<Engine> {
  const { url, patienceMs = 300_000, onGone } = options
  const { pool, db } = await connectPostgres(options)
  const listener = createListener(() => connectOne(url), SCHEMA, LISTEN_CHECK_MS)
  const watch = watchHealth(pool, patienceMs, onGone)
  let isClosed = false

  const runOnce = (name: UnitName, args: readonly unknown[]) =>
    db.transaction().execute(async (transaction) => {
      const changed: Changed[] = []
      const tx: Tx = { db: transaction, dialect: POSTGRES, derive, changed: (one) => changed.push(one) }
      const result = await runUnit(name, tx, args)
      for (const { host, endpoint, hasNews } of changed) {
        const payload = JSON.stringify([host, endpoint, hasNews])
        const told = Buffer.byteLength(payload) <= MAX_PAYLOAD ? payload : ''
        await sql`select pg_notify(${SCHEMA}, ${told})`.execute(transaction)
      }
      return result
    })
  const run = async (name: UnitName, args: readonly unknown[]): Promise<unknown> => {
    for (let tries = 1; ; tries++) {
      if (isClosed) throw new StoreUnavailableError('The store is closed')
      try {
        return await runOnce(name, args)
      } catch (error) {
        if (tries === TRIES || !hasLostRace(error)) throw error
      }
    }
  }
  return {
    dialect: POSTGRES,
    db,
    write: <K extends UnitName>(name: K, ...args: ArgumentsOf<K>) => run(name, args) as never,
    count: <K extends UnitName>(name: K, ...args: ArgumentsOf<K>) => run(name, args) as never,
    watch: listener.watch,
    async diskBytes() {
      const { rows } = await sql<{ bytes: number | null }>`
        select sum(pg_total_relation_size(oid))::bigint as bytes from pg_class
        where relnamespace = to_regnamespace(${SCHEMA}) and relkind = 'r'`.execute(db)
      return rows[0]?.bytes ?? 0
    },
    async close() {
      if (isClosed) return
      isClosed = true
      watch.stop()
      await listener.close()
      await pool.end()
    },
  }
}

const toKysely = (pool: pg.Pool): Db =>
  new Kysely<Tables>({ dialect: new PostgresDialect({ pool: withOwnErrors(pool) }) })

/** Settings of a session are statements: a pooler refuses those that a client sends as it connects. */
const greet = (timeoutMs: number) =>
  `set search_path = ${SCHEMA}; set statement_timeout = ${timeoutMs}; set idle_in_transaction_session_timeout = ${timeoutMs}`

const connectionOf = (url: string) => ({
  connectionString: url,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  keepAlive: true,
  application_name: 'touchstone',
  types: {
    getTypeParser: (id: number, format?: 'text' | 'binary') =>
      id === INT8 ? Number : pg.types.getTypeParser(id, format as 'text'),
  } as pg.CustomTypesConfig,
})

function openPool(url: string, max: number, timeoutMs: number): pg.Pool {
  // The server's own timeout is not heard if the network is down.
  const query_timeout = timeoutMs + 1000
  const onConnect = async (client: pg.ClientBase) => {
    client.on('error', () => undefined)
    await client.query(greet(timeoutMs))
  }
  const pool = new pg.Pool({ ...connectionOf(url), max, query_timeout, onConnect })
  // The pool replaces broken connections, but without error listeners on pool and connections one would end the process.
  pool.on('error', () => undefined)
  return pool
}

/** Opens a connection beside the pool. */
async function connectOne(url: string): Promise<pg.Client> {
  const client = new pg.Client({ ...connectionOf(url), query_timeout: CONNECT_TIMEOUT_MS })
  client.on('error', () => undefined)
  await client.connect().catch(refuse)
  await client.query(greet(STATEMENT_TIMEOUT_MS)).catch((error: unknown) => {
    client.end().catch(() => undefined)
    refuse(error)
  })
  return client
}

/** Reports faults of the database as `StoreUnavailableError`. */
const withOwnErrors = (pool: pg.Pool): PostgresPool => ({
  end: () => pool.end(),
  async connect() {
    const client = await pool.connect().catch(refuse)
    let fault: Error | undefined
    const query: Asked = async (...args) => {
      // An earlier query has no answer yet, so this one would wait in vain too.
      if (fault !== undefined) return refuse(fault)
      return (client.query as Asked)(...args).catch((error: Error) => {
        if (!(error instanceof pg.DatabaseError)) fault = error
        return refuse(error)
      })
    }
    // End a connection that does not answer: it would block its next user.
    return { query, release: () => client.release(fault) } as never
  },
})

type Asked = (...args: readonly unknown[]) => Promise<unknown>

/** Rethrows an error. Errors about the data (classes 22 and 23) are our mistakes; others mean that the database is gone. */
function refuse(error: unknown): never {
  if (error instanceof ClaimStateError || error instanceof LeaseLostError) throw error
  if (error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '')) throw error
  throw new StoreUnavailableError(`The database is unavailable: ${messageOf(error)}`, { cause: error })
}

/** Whether another transaction was in the way of one that may be run again: a deadlock, or an order that cannot be. */
function hasLostRace(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof pg.DatabaseError && (cause.code === '40P01' || cause.code === '40001')
}

/** Creates the schema, refuses a pooler that hands connections round, and migrates. */
async function prepare(url: string): Promise<void> {
  const pool = openPool(url, 2, MIGRATION_TIMEOUT_MS)
  try {
    await refusePooler(pool)
    // Two processes that start at once would both create it.
    await pool.query(`create schema if not exists ${SCHEMA}`).catch((error: unknown) => {
      if (!(error instanceof pg.DatabaseError && error.code === '23505')) refuse(error)
    })
    await migrate(toKysely(pool), POSTGRES, { schema: SCHEMA, place: 'The database' })
  } finally {
    await pool.end()
  }
}

/**
 * Refuses a pooler in transaction mode: sessions would share what one of them sets and listens to.
 * Two sessions have two backends, unless a pooler hands one round as soon as a statement ends.
 */
async function refusePooler(pool: pg.Pool): Promise<void> {
  const first = await pool.connect().catch(refuse)
  const second = await pool.connect().catch(refuse)
  try {
    const mark = `${Math.random()}`
    await first.query(`set touchstone.session = '${mark}'`).catch(refuse)
    const seen = await second
      .query<{ mark: string | null }>(`select current_setting('touchstone.session', true) as mark`)
      .catch(refuse)
    if (seen.rows[0]?.mark === mark)
      throw new StoreOpenError(
        'DATABASE_URL leads to a pooler in transaction mode, in which sessions share their settings and hear no notifications: use session mode, or connect to PostgreSQL itself',
      )
  } finally {
    first.release()
    second.release()
  }
}

/**
 * Asks a database for its major version, the rights of the user, and the format and published keys of the store, and
 * changes nothing.
 * @throws StoreOpenError if a pooler hands connections round
 * @throws StoreUnavailableError if the database cannot be reached
 */
export async function inspectPostgres(url: string) {
  const pool = openPool(url, 2, STATEMENT_TIMEOUT_MS)
  try {
    await refusePooler(pool)
    const { rows } = await pool
      .query<{ version: string; create: boolean | null }>(
        `select current_setting('server_version_num') as version,
          coalesce(has_schema_privilege(to_regnamespace($1), 'create'),
            has_database_privilege(current_database(), 'create')) as create`,
        [SCHEMA],
      )
      .catch(refuse)
    const db = toKysely(pool)
    const format = await readFormat(db)
    return {
      version: Math.floor(Number(rows[0]?.version) / 10_000),
      mayCreate: rows[0]?.create === true,
      /** Null without a store, or with one from before formats. */
      format,
      /** Undefined without a store of this version. */
      published: format === FORMAT ? await readBegunKeys({ db }) : undefined,
    }
  } finally {
    await pool.end()
  }
}

/** Polls the database, and reports when it is unavailable for too long. */
function watchHealth(pool: pg.Pool, patienceMs: number, onGone: ((reason: string) => void) | undefined) {
  let goneSince: number | null = null
  const ask = async () => {
    try {
      await pool.query('select 1')
      goneSince = null
    } catch (error) {
      goneSince ??= performance.now()
      if (performance.now() - goneSince < patienceMs) return
      clearInterval(timer)
      onGone?.(messageOf(error))
    }
  }
  const timer = setInterval(() => void ask(), Math.min(PING_MS, patienceMs))
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
