import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger, makeWorkerUtils, type Runner, run, type WorkerEvents } from 'graphile-worker'
import pg from 'pg'
import type { CrawlHandler, CrawlQueue, CrawlTask } from '../../../ports/crawlQueue.ts'
import { createHostLocks, findDead } from './createHostLocks.ts'
import { type DatabaseOptions, openDatabase } from './database.ts'

/** Settings of the crawl queue. */
export type CrawlQueueOptions = Pick<DatabaseOptions, 'url' | 'schema'> & {
  /** Hosts that this process works on at once. @default 16 */
  readonly concurrency?: number
  /** How often work of dead processes is looked for, in milliseconds. @default 5000 */
  readonly recoverEveryMs?: number
  /** Takes what goes wrong in the background. @default nothing is done with it */
  readonly onError?: (error: unknown) => void
}

/** One job looks at the due endpoints of one host. */
const LOOK = 'look'
/** How soon a host that another process is working on is tried again. */
const BUSY_RETRY_MS = 1_000
/** How soon somebody who waits for a turn of his own with a host asks again. */
const TURN_RETRY_MS = 100
/** Work that was taken this recently may belong to a process that is about to show that it is alive. */
const GRACE_SECONDS = 5
/** Rows that one statement offers. */
const BATCH = 1_000

/**
 * Opens the queue on PostgreSQL, on the same database as the store; its tables are in a schema of their own.
 *
 * @throws StoreUnavailableError when the database cannot be reached.
 */
export async function createCrawlQueue(options: CrawlQueueOptions): Promise<CrawlQueue> {
  const { concurrency = 16, recoverEveryMs = 5_000, onError = () => undefined } = options
  const schema = `${options.schema ?? 'touchstone'}_queue`
  const database = openDatabase({ ...options, schema, connections: 4 })
  // The pool below has no limit of its own on waiting, since the library takes some failures of it for the end of the
  // process. So a database that does not answer is found out here.
  await database.query('SELECT 1').catch(async (error: unknown) => {
    await database.close()
    throw error
  })
  const pool = new pg.Pool({ connectionString: options.url, max: Math.min(concurrency, 8) + 2 })
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', onError))
  const shared = { pgPool: pool, schema, logger: silent(onError) }
  const utils = await makeWorkerUtils(shared)
  await utils.migrate()
  const locks = createHostLocks(database)
  let runner: Runner | undefined
  let timer: NodeJS.Timeout | undefined

  const runTask = async (task: CrawlTask, handler: CrawlHandler): Promise<void> => {
    const lock = await locks.take(task.host)
    if (!lock) return offerAgain(task)
    try {
      await handler(task, lock.signal)
    } finally {
      await lock.release()
    }
  }

  const offerAgain = async (task: CrawlTask): Promise<void> => {
    const runAt = new Date(Date.now() + BUSY_RETRY_MS)
    await utils.addJob(LOOK, task, { ...placeOf(task), runAt })
  }

  const recover = async (): Promise<void> => {
    const workers = await database.query<{ locked_by: string }>(
      `SELECT DISTINCT locked_by FROM _private_jobs WHERE locked_at < now() - make_interval(secs => $1)`,
      [GRACE_SECONDS],
    )
    const dead = await findDead(
      database,
      workers.map((worker) => worker.locked_by),
    )
    if (dead.length > 0) await utils.forceUnlockWorkers(dead)
  }

  return {
    async offer(tasks) {
      for (let from = 0; from < tasks.length; from += BATCH) {
        const batch = tasks.slice(from, from + BATCH)
        await utils.addJobs(batch.map((payload) => ({ identifier: LOOK, payload, ...placeOf(payload) })))
      }
    },
    async work(handler) {
      const events: WorkerEvents = new EventEmitter()
      const alive = (worker: string) => void locks.showAlive(worker).catch(onError)
      events.on('pool:create', ({ workerPool }) => alive(workerPool.id))
      events.on('worker:create', ({ worker }) => alive(worker.workerId))
      runner = await run({
        ...shared,
        events,
        concurrency,
        noHandleSignals: true,
        pollInterval: 1_000,
        taskList: { [LOOK]: (payload) => runTask(taskOf(payload), handler) },
      })
      runner.promise.catch(onError)
      timer = setInterval(() => void recover().catch(onError), recoverEveryMs)
      timer.unref()
    },
    async alone(host, work, signal) {
      for (;;) {
        signal?.throwIfAborted()
        const lock = await locks.take(host)
        if (lock) {
          try {
            return await work(lock.signal)
          } finally {
            await lock.release()
          }
        }
        // The signal is looked at above: many may wait for one, and each would hang a listener on it.
        await sleep(TURN_RETRY_MS)
      }
    },
    async close() {
      clearInterval(timer)
      await runner?.stop()
      await utils.release()
      await locks.close()
      await database.close()
      await pool.end()
    },
  }
}

/** Work that was asked for goes first, and is not replaced by what is merely due. */
function placeOf({ host, isAsked }: CrawlTask): { jobKey: string; priority?: number } {
  return isAsked ? { jobKey: `asked ${host}`, priority: -1 } : { jobKey: host }
}

/** What this queue has written into a job. */
function taskOf(payload: unknown): CrawlTask {
  if (typeof payload === 'object' && payload !== null && 'host' in payload && 'endpoints' in payload) {
    const { host, endpoints } = payload
    const isAsked = 'isAsked' in payload && payload.isAsked === true
    if (typeof host === 'string' && Array.isArray(endpoints))
      return { host, endpoints: endpoints.map(String), ...(isAsked && { isAsked }) }
  }
  throw new TypeError('A job of the crawl queue names a host and its endpoints.')
}

/** Only errors are of interest, and they go where the caller wants them. */
function silent(onError: (error: unknown) => void): Logger {
  return new Logger(() => (level, message) => {
    if (level === 'error') onError(new Error(message))
  })
}
