import pg, { type PoolClient, type QueryResultRow } from 'pg'
import { StoreOpenError, StoreUnavailableError } from '../../../domain/facts/storeError.ts'

/** A pool of connections, with every fault of the database's side told as `StoreUnavailableError`. */
export type Database = {
  /** Name of the schema that holds the tables, quoted. */
  readonly schema: string
  query<Row extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** Runs work in one transaction; it is rolled back when the work rejects. */
  transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T>
  /** A connection of one's own, for listening; it ends itself when the pool does. */
  connect(): Promise<PoolClient>
  close(): Promise<void>
}

/** What a database is opened with. */
export type DatabaseOptions = {
  /** `postgres://user:password@host/database`. */
  readonly url: string
  /** Lower-case letters, digits and underscores. @default touchstone */
  readonly schema?: string
  /** Connections at the most. @default 10 */
  readonly connections?: number
  /** Milliseconds after which a statement that does not end counts as failed. @default 15000 */
  readonly statementTimeoutMs?: number
}

const CONNECT_TIMEOUT_MS = 5_000

/**
 * Opens a pool; no connection is made yet.
 *
 * @throws StoreOpenError when the URL or the schema's name cannot be used.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const { schema = 'touchstone', statementTimeoutMs = 15_000 } = options
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new StoreOpenError(`"${schema}" cannot be the name of a schema.`)
  }
  const pool = openPool(options.url, {
    max: options.connections ?? 10,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    // Where the network is gone the server's own limit is never heard of.
    query_timeout: statementTimeoutMs + 1000,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    application_name: 'touchstone',
    options: `-c search_path=${schema}`,
  })
  // A connection that breaks is replaced at the next use; without listeners, on the pool while it is idle and on the
  // connection between two statements, it would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  let closing: Promise<void> | undefined

  const connect = async (): Promise<PoolClient> => {
    if (closing) throw new StoreUnavailableError('The store is closed.')
    return pool.connect().catch(refuse)
  }

  return {
    schema: `"${schema}"`,
    connect,
    async query<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
      if (closing) throw new StoreUnavailableError('The store is closed.')
      const { rows } = await pool.query<Row>(text, [...values]).catch(refuse)
      return rows
    },
    async transaction(work) {
      const client = await connect()
      try {
        await client.query('BEGIN')
        const result = await work(client)
        await client.query('COMMIT')
        client.release()
        return result
      } catch (error) {
        // A connection in an unknown state is thrown away; the server rolls back what it was doing.
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

function openPool(url: string, config: pg.PoolConfig): pg.Pool {
  if (!/^postgres(ql)?:\/\//.test(url)) throw new StoreOpenError('A database URL begins with postgres://.')
  return new pg.Pool({ connectionString: url, ...config })
}

/** The database's complaints about the data itself (classes 22 and 23) are our mistakes; all others mean it is away. */
function refuse(error: unknown): never {
  if (error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '')) throw error
  const isOfDatabase = error instanceof pg.DatabaseError || isConnectionError(error)
  if (!isOfDatabase) throw error
  const reason = error instanceof Error ? error.message : 'unknown'
  throw new StoreUnavailableError(`The database does not answer: ${reason}`, { cause: error })
}

/** The driver marks no class of its own for lost connections: these are system errors and its few plain messages. */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('syscall' in error || error instanceof AggregateError) return true
  return /^(Connection terminated|Query read timeout|timeout exce|timeout expired|Client (has encountered|was closed)|Cannot use a pool)/i.test(
    error.message,
  )
}
