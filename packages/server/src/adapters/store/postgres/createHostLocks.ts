import { createKeyedQueue } from '../createKeyedQueue.ts'
import type { Database } from './database.ts'

/** Advisory locks on one connection: the database releases them if the process or the connection dies. */
export type HostLocks = {
  /** Locks a host. Returns undefined if it is locked already. */
  take(host: string): Promise<HostLock | undefined>
  /** Marks a worker as alive while the connection lasts. */
  showAlive(worker: string): Promise<void>
  close(): Promise<void>
}

/** A held lock; the signal fires if the connection is lost. */
export type HostLock = { readonly signal: AbortSignal; release(): Promise<void> }

/** First keys of the advisory locks, chosen to be unique in the database. */
const HOSTS = 40_201
const WORKERS = 40_202

/** Creates the locks of one process. */
export function createHostLocks(database: Database): HostLocks {
  const held = new Set<string>()
  const workers = new Set<string>()
  let session: Promise<Session> | undefined
  let closed = false

  const open = (): Promise<Session> => {
    session ??= openSession(database, workers, () => {
      session = undefined
      if (!closed && workers.size > 0) open().catch(() => undefined)
    }).catch((error) => {
      session = undefined
      throw error
    })
    return session
  }

  return {
    async take(host) {
      // The database would let this connection lock a host twice.
      if (held.has(host)) return undefined
      held.add(host)
      let isLocked = false
      try {
        const { call, signal } = await open()
        isLocked = await call('pg_try_advisory_lock', HOSTS, host)
        if (!isLocked) return undefined
        const release = async (): Promise<void> => {
          held.delete(host)
          // A lost connection has released its locks.
          if (!signal.aborted) await call('pg_advisory_unlock', HOSTS, host).catch(() => false)
        }
        return { signal, release }
      } finally {
        if (!isLocked) held.delete(host)
      }
    },
    async showAlive(worker) {
      workers.add(worker)
      const { call } = await open()
      await call('pg_try_advisory_lock', WORKERS, worker)
    },
    async close() {
      closed = true
      workers.clear()
      await session?.then(({ end }) => end()).catch(() => undefined)
    },
  }
}

type Session = {
  readonly signal: AbortSignal
  /** Takes or releases a lock; one statement at a time, since all share the connection. */
  call(action: 'pg_try_advisory_lock' | 'pg_advisory_unlock', group: number, name: string): Promise<boolean>
  end(): void
}

async function openSession(
  database: Database,
  workers: ReadonlySet<string>,
  onLost: () => void,
): Promise<Session> {
  const client = await database.connect()
  const lost = new AbortController()
  const end = (): void => {
    if (lost.signal.aborted) return
    lost.abort(new Error('Lost the database connection that held the locks'))
    client.release(true)
    onLost()
  }
  client.on('error', end)
  client.on('end', end)
  const queue = createKeyedQueue()
  const call: Session['call'] = (action, group, name) =>
    queue.run('connection', async () => {
      const text = `SELECT ${action}($1, hashtext($2)) AS done`
      const { rows } = await client.query<{ done: boolean }>(text, [group, name])
      return rows[0]?.done === true
    })
  for (const worker of workers) await call('pg_try_advisory_lock', WORKERS, worker)
  return { signal: lost.signal, call, end }
}

/** Returns those workers that no connection marks as alive. */
export async function findDead(database: Database, workers: readonly string[]): Promise<string[]> {
  return database.transaction(async (client) => {
    const dead: string[] = []
    for (const worker of workers) {
      const { rows } = await client.query<{ free: boolean }>(
        'SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS free',
        [WORKERS, worker],
      )
      if (rows[0]?.free) dead.push(worker)
    }
    return dead
  })
}
