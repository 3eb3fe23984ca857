import pg, { type PoolClient, type QueryConfig, type QueryResultRow } from 'pg'
import { StoreOpenError, StoreUnavailableError } from '../../../domain/facts/storeError.ts'
import { messageOf } from '../../../errors.ts'

/** A connection pool that reports faults of the database as `StoreUnavailableError`. */
export type Database = {
  /** Name of the schema with the tables. */
  readonly schema: string
  query<Row extends QueryResultRow>(
    statement: string | QueryConfig,
    values?: readonly unknown[],
  ): Promise<Row[]>
  /** Runs work in one transaction, which is rolled back if the work rejects. */
  transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T>
  /** Opens a dedicated connection, for listening; it ends with the pool. */
  connect(): Promise<PoolClient>
  /** Number of rows that `query` has returned. */
  rowsRead(): number
  close(): Promise<void>
}

/** Options of `openDatabase`. */
export type DatabaseOptions = {
  /** `postgres://user:password@host/database`. */
  readonly url: string
  /** Name of the schema: lower-case letters, digits and underscores. @default touchstone */
  readonly schema?: string
  /** Maximum number of connections. @default 10 */
  readonly connections?: number
  /** Time limit of a statement in ms. @default 15000 */
  readonly statementTimeoutMs?: number
  /** Time limit of a new connection in ms. @default 5000 */
  readonly connectTimeoutMs?: number
}

/**
 * Creates a connection pool without connecting.
 * @throws StoreOpenError if the URL or the name of the schema is invalid
 */
export function openDatabase(options: DatabaseOptions): Database {
  const { schema = 'touchstone', statementTimeoutMs = 15_000, connectTimeoutMs = 5_000 } = options
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new StoreOpenError(
      `"${schema}" is not a schema name: use lower-case letters, digits and underscores`,
    )
  }
  if (!/^postgres(ql)?:\/\//.test(options.url)) {
    throw new StoreOpenError('A database URL must begin with postgres://')
  }
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    // The server's own timeout is not heard if the network is down.
    query_timeout: statementTimeoutMs + 1000,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    // A listening connection sends nothing by itself.
    keepAlive: true,
    application_name: 'touchstone',
    options: `-c search_path=${schema}`,
  })
  // The pool replaces broken connections, but without error listeners on pool and connections one would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  let closing: Promise<void> | undefined
  let rowsRead = 0

  const connect = async (): Promise<PoolClient> => {
    if (closing) throw new StoreUnavailableError('The store is closed')
    return pool.connect().catch(refuse)
  }

  return {
    schema,
    connect,
    async query<Row extends QueryResultRow>(
      statement: string | QueryConfig,
      values: readonly unknown[] = [],
    ) {
      if (closing) throw new StoreUnavailableError('The store is closed')
      const asked = typeof statement === 'string' ? { text: statement, values: [...values] } : statement
      const { rows } = await pool.query<Row>(asked).catch(refuse)
      rowsRead += rows.length
      return rows
    },
    rowsRead: () => rowsRead,
    async transaction(work) {
      const client = await connect()
      try {
        await client.query('BEGIN')
        const result = await work(client)
        await client.query('COMMIT')
        client.release()
        return result
      } catch (error) {
        // Discard a connection in an unknown state; the server rolls back its transaction.
        client.release(true)
        return refuse(error)
      }
    },
    close() {
      closing ??= pool.end()
      return closing
    },
  }
}

/** Rethrows an error. Errors about the data (classes 22 and 23) are our mistakes; others mean that the database is unavailable. */
function refuse(error: unknown): never {
  if (error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '')) throw error
  if (!(error instanceof pg.DatabaseError) && !isConnectionError(error)) throw error
  throw new StoreUnavailableError(`The database is unavailable: ${messageOf(error)}`, { cause: error })
}

/** The driver has no error class for lost connections: they are system errors and a few plain messages. */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('syscall' in error || error instanceof AggregateError) return true
  return /^(Connection terminated|Query read timeout|timeout exce|timeout expired|Client (has encountered|was closed)|Cannot use a pool)/i.test(
    error.message,
  )
}
