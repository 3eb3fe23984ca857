import { randomBytes } from 'node:crypto'
import { createJournalLedger, type Write } from '../../ledger/journal.ts'
import type { Ledger, StoredPayment } from '../../ledger/ledger.ts'
import { createBatch } from '../batch.ts'
import { openDatabase } from './database.ts'
import { createLedgerLog } from './ledgerLog.ts'
import { createTables } from './schema.ts'

/**
 * Options of {@link createPostgresLedger}.
 * @example
 * const options: PostgresLedgerOptions = { url: 'postgres://agent@db.example/agents', name: 'research' }
 */
export type PostgresLedgerOptions = {
  /** `postgres://user:password@host/database`. The user may create a schema, or `touchstone_guard` exists. */
  url: string
  /** Name of the ledger: one budget for all that give it. @default 'default' */
  name?: string
  /** Maximum number of connections. @default 2 */
  connections?: number
  /** Number of lines after which a snapshot is stored, which later openings start from. @default 20000 */
  snapshotLines?: number
  /** Whose clock dates payments; `caller` is for tests. @default 'database' */
  clock?: 'database' | 'caller'
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

/**
 * Opens a ledger that agents on many machines share: budgets, pins, strikes, pending payments and the kill switch.
 *
 * The check of the limits, the kill switch and the reservation are one transaction, by the clock of the database. A
 * reservation of a process that was killed counts until it is resolved. Without the database nothing is paid. Needs
 * the package pg.
 * @throws ConfigurationError if pg is missing, the URL is invalid or lines are missing
 * @example
 * const guard = createGuard({ ledger: await createPostgresLedger({ url: 'postgres://agent@db.example/agents' }) })
 */
export async function createPostgresLedger(options: PostgresLedgerOptions): Promise<PostgresLedger> {
  const { url, name = 'default', connections = 2, clock = 'database', snapshotLines = 20_000 } = options
  const database = await openDatabase(url, connections)
  const log = createLedgerLog(database, { name, useDatabaseClock: clock === 'database', snapshotLines })
  try {
    await database.transaction(createTables)
    await database.query('INSERT INTO touchstone_guard.ledger (name) VALUES ($1) ON CONFLICT DO NOTHING', [
      name,
    ])
    await log.write([])
  } catch (error) {
    await database.close()
    throw error
  }
  const append = createBatch<Write>((writes) => log.write(writes))
  const ledger = createJournalLedger({
    ...{ idPrefix: `${randomBytes(8).toString('hex')}-`, state: log.state, append },
    async readPayment(id) {
      const { rows } = await database.query<{ payment: StoredPayment }>(
        'SELECT payment FROM touchstone_guard.payment WHERE name = $1 AND id = $2',
        [name, id],
      )
      return rows[0]?.payment ?? null
    },
    async setStopped(isStopped) {
      await database.query('UPDATE touchstone_guard.ledger SET stopped = $2 WHERE name = $1', [
        name,
        isStopped,
      ])
    },
    async isStopped() {
      const { rows } = await database.query<{ stopped: boolean }>(
        'SELECT stopped FROM touchstone_guard.ledger WHERE name = $1',
        [name],
      )
      // A ledger that was deleted counts as stopped.
      return rows[0]?.stopped ?? true
    },
  })
  return {
    ...ledger,
    async close() {
      await append(null)
      await database.close()
    },
  }
}
