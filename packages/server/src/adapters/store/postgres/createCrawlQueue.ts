import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger, makeWorkerUtils, type Runner, run, type WorkerEvents } from 'graphile-worker'
import pg from 'pg'
import { z } from 'zod'
import type { CrawlHandler, CrawlQueue, CrawlTask } from '../../../ports/crawlQueue.ts'
import { createHostLocks, findDead } from './createHostLocks.ts'
import { type DatabaseOptions, openDatabase } from './database.ts'

/** Options of `createCrawlQueue`. */
export type CrawlQueueOptions = Pick<DatabaseOptions, 'url' | 'schema' | 'connectTimeoutMs'> & {
  /** Maximum number of hosts that this process works on at once. @default 16 */
  readonly concurrency?: number
  /** Interval in ms for recovering the work of dead processes. @default 5000 */
  readonly recoverEveryMs?: number
  /** Delay in ms before a host that another process works on is tried again. @default 1000 */
  readonly busyRetryMs?: number
  /** Receives background errors. @default ignored */
  readonly onError?: (error: unknown) => void
}

const TaskSchema = z.object({
  host: z.string(),
  endpoints: z.array(z.string()),
  isAsked: z.literal(true).exactOptional(),
})
/** A list, since the library appends lists of equal job keys to each other, where it would replace an object. */
const PayloadSchema = z.array(TaskSchema).min(1)

/** Name of a job, which probes the due endpoints of one host. */
const LOOK = 'look'
const WAITING = `SELECT task->>'host' AS host, sum(json_array_length(task->'endpoints'))::int AS endpoints
  FROM _private_jobs,
    LATERAL json_array_elements(CASE json_typeof(payload) WHEN 'array' THEN payload ELSE '[]' END) AS task
  WHERE attempts < max_attempts OR locked_at IS NOT NULL
  GROUP BY 1`
/** Interval at which `alone` tries to lock a host. */
const TURN_RETRY_MS = 100
/** Age below which the worker of a job may not have shown yet that it is alive. */
const GRACE_SECONDS = 5
/** Maximum number of rows per statement. */
const BATCH = 1_000

/**
 * Opens the queue on the store's database, in a separate schema.
 * @throws StoreUnavailableError if the database cannot be reached
 */
export async function createCrawlQueue(options: CrawlQueueOptions): Promise<CrawlQueue> {
  const { concurrency = 16, recoverEveryMs = 5_000, busyRetryMs = 1_000, onError = () => undefined } = options
  const schema = `${options.schema ?? 'touchstone'}_queue`
  const database = openDatabase({ ...options, schema, connections: 4 })
  // Fail here if the database does not answer: the pool below has no timeout, because the library ends the process on
  // some of its failures.
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
    if (!lock) {
      const runAt = new Date(Date.now() + busyRetryMs)
      await utils.addJob(LOOK, [task], { ...placeOf(task), runAt })
      return
    }
    try {
      await handler(task, lock.signal)
    } finally {
      await lock.release()
    }
  }

  const runPayload = async (payload: unknown, handler: CrawlHandler): Promise<void> => {
    const { data: tasks = [] } = PayloadSchema.safeParse(payload)
    const [first] = tasks
    // A job of another version: its endpoints become due again.
    if (first === undefined) return
    await runTask({ ...first, endpoints: [...new Set(tasks.flatMap(({ endpoints }) => endpoints))] }, handler)
  }

  const recover = async (): Promise<void> => {
    const workers = await database.query<{ locked_by: string }>(
      `SELECT DISTINCT locked_by FROM _private_jobs WHERE locked_at < now() - make_interval(secs => $1)`,
      [GRACE_SECONDS],
    )
    const names = workers.map((worker) => worker.locked_by)
    const dead = await findDead(database, names)
    if (dead.length > 0) await utils.forceUnlockWorkers(dead)
  }

  return {
    async offer(tasks) {
      for (let from = 0; from < tasks.length; from += BATCH) {
        const batch = tasks.slice(from, from + BATCH)
        await utils.addJobs(batch.map((task) => ({ identifier: LOOK, payload: [task], ...placeOf(task) })))
      }
    },
    async waiting() {
      const rows = await database.query<{ host: string; endpoints: number }>(WAITING)
      return new Map(rows.map(({ host, endpoints }) => [host, endpoints]))
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
        taskList: { [LOOK]: (payload) => runPayload(payload, handler) },
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
        // Without the signal: many callers may share one, and each sleep would add a listener to it.
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

/** Requested work goes first and is not replaced by due work. */
function placeOf({ host, isAsked }: CrawlTask): { jobKey: string; priority?: number } {
  return isAsked ? { jobKey: `asked ${host}`, priority: -1 } : { jobKey: host }
}

/** Creates a logger that only passes on errors. */
function silent(onError: (error: unknown) => void): Logger {
  return new Logger(() => (level, message) => {
    if (level === 'error') onError(new Error(message))
  })
}
