import { randomBytes } from 'node:crypto'
import { misconfigured } from '../../errors.ts'
import { createEventFilter } from '../../ledger/eventFilter.ts'
import { createJournalLedger, type Write } from '../../ledger/journal.ts'
import type { Ledger, StoredPayment } from '../../ledger/ledger.ts'
import { createBatch } from '../batch.ts'
import { type Client, createLedgerLog, inTransaction, type LogOptions, type Pool } from './ledgerLog.ts'

/**
 * Options of {@link createPostgresLedger}.
 * @example
 * const options: PostgresLedgerOptions = { url: 'postgres://agent@db.example/agents', name: 'research' }
 */
export type PostgresLedgerOptions = Partial<LogOptions> & {
  /** `postgres://user:password@host/database`. The user may create a schema, or `touchstone_guard` exists. */
  url: string
  /** Maximum number of connections. @default 2 */
  connections?: number
}

/**
 * A ledger in PostgreSQL.
 * @example
 * const ledger: PostgresLedger = await createPostgresLedger({ url: 'postgres://agent@db.example/agents' })
 * await ledger.close()
 */
export type PostgresLedger = Ledger & {
  /** Flushes pending records and closes the connections. */
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 5000
const STATEMENT_TIMEOUT_MS = 15_000

/**
 * Opens a ledger that agents on many machines share: budgets, pins, strikes, pending payments and the kill switch.
 *
 * The check of the limits, the kill switch and the reservation are one transaction, by the clock of the database. A
 * reservation of a process that was killed counts for twelve minutes. Without the database nothing is paid. Needs
 * the package pg.
 * @throws ConfigurationError if pg is missing, the URL is invalid or lines are missing
 * @example
 * const guard = createGuard({ ledger: await createPostgresLedger({ url: 'postgres://agent@db.example/agents' }) })
 */
export async function createPostgresLedger(options: PostgresLedgerOptions): Promise<PostgresLedger> {
  const { url, name = 'default', connections = 2, clock = 'database', snapshotLines = 20_000 } = options
  const pool = await openPool(url, connections)
  const query = async <Row>(text: string, ...values: unknown[]): Promise<Row | undefined> =>
    (await pool.query(text, [name, ...values])).rows[0] as Row | undefined
  const log = createLedgerLog(pool, { name, clock, snapshotLines })
  try {
    await inTransaction(pool, createTables)
    await query('INSERT INTO touchstone_guard.ledger (name) VALUES ($1) ON CONFLICT DO NOTHING')
    await log.write([])
  } catch (error) {
    await pool.end()
    throw error
  }
  const append = createBatch<Write>((writes) => log.write(writes))
  const ledger = createJournalLedger({
    idPrefix: `${randomBytes(8).toString('hex')}-`,
    state: log.state,
    append,
    countEvent: createEventFilter(),
    async readPayment(id) {
      const select = 'SELECT payment FROM touchstone_guard.payment WHERE name = $1 AND id = $2'
      return (await query<{ payment: StoredPayment }>(select, id))?.payment ?? null
    },
    async setStopped(isStopped) {
      await query('UPDATE touchstone_guard.ledger SET stopped = $2 WHERE name = $1', isStopped)
    },
    async isStopped() {
      const select = 'SELECT stopped FROM touchstone_guard.ledger WHERE name = $1'
      // A ledger that was deleted counts as stopped.
      return (await query<{ stopped: boolean }>(select))?.stopped ?? true
    },
  })
  return {
    ...ledger,
    async close() {
      await append(null)
      await pool.end()
    },
  }
}

/**
 * Opens a pool without connecting.
 * @throws ConfigurationError if pg is not installed or the URL is invalid
 */
async function openPool(url: string, connections: number): Promise<Pool> {
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw misconfigured('ledger.url: expected a URL that begins with postgres://')
  }
  const { default: pg } = await import('pg').catch((cause) => {
    throw misconfigured('ledger: the PostgreSQL ledger needs pg; install it with npm', cause)
  })
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + 1000,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'touchstone-guard',
    // A reservation that a crash of the database could forget would not be one.
    options: '-c synchronous_commit=on',
    // An idle ledger does not keep a process alive.
    allowExitOnIdle: true,
  })
  // The pool replaces broken connections; without a listener the error would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Creates the tables of ledgers if they are missing. Ledgers of any number of names share them. */
async function createTables(client: Client): Promise<void> {
  // Two processes that create a schema at once would fail.
  await client.query('SELECT pg_advisory_xact_lock(4022018)')
  await client.query(`
    CREATE SCHEMA IF NOT EXISTS touchstone_guard;
    -- Its row is locked by each writer, so that lines of one ledger are in the order of their transactions.
    CREATE TABLE IF NOT EXISTS touchstone_guard.ledger (
      name text PRIMARY KEY,
      seq bigint NOT NULL DEFAULT 0,
      head text,
      stopped boolean NOT NULL DEFAULT false
    );
    CREATE TABLE IF NOT EXISTS touchstone_guard.line (
      name text NOT NULL,
      seq bigint NOT NULL,
      line text NOT NULL,
      PRIMARY KEY (name, seq)
    );
    CREATE TABLE IF NOT EXISTS touchstone_guard.snapshot (
      name text PRIMARY KEY,
      seq bigint NOT NULL,
      line text NOT NULL
    );
    CREATE TABLE IF NOT EXISTS touchstone_guard.payment (
      name text NOT NULL,
      id text NOT NULL,
      payment jsonb NOT NULL,
      PRIMARY KEY (name, id)
    )`)
}
