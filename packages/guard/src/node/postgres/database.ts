import { misconfigured } from '../../errors.ts'

/** Runs SQL. */
export type Queries = {
  query<Row>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>
}

/** A pool of connections. */
export type Database = Queries & {
  /** Runs work in one transaction. After an error it is not known whether it was committed. */
  transaction<T>(work: (client: Queries) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 5000
const STATEMENT_TIMEOUT_MS = 15_000

/**
 * Opens a pool without connecting.
 * @throws ConfigurationError if pg is not installed or the URL is invalid
 */
export async function openDatabase(url: string, connections: number): Promise<Database> {
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
  return {
    query: async (text, values) => (await pool.query(text, values)) as never,
    async transaction(work) {
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        const result = await work(client as never)
        await client.query('COMMIT')
        client.release()
        return result
      } catch (error) {
        // A connection in an unknown state is discarded; the server rolls back its transaction.
        client.release(true)
        throw error
      }
    },
    close: () => pool.end(),
  }
}
