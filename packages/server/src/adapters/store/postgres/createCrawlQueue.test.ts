import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { StoreUnavailableError } from '../../../domain/facts/storeError.ts'
import type { CrawlHandler, CrawlQueue } from '../../../ports/crawlQueue.ts'
import { usePostgres } from '../testing/usePostgres.ts'
import { type CrawlQueueOptions, createCrawlQueue } from './createCrawlQueue.ts'

const emptyDatabase = usePostgres()
let database: ReturnType<typeof emptyDatabase>
let opened: CrawlQueue[] = []
beforeEach(() => {
  database = emptyDatabase()
  return async () => {
    await Promise.all(opened.map((queue) => queue.close()))
    opened = []
  }
})

async function open(options: Partial<CrawlQueueOptions> = {}): Promise<CrawlQueue> {
  const queue = await createCrawlQueue({ ...database, ...options })
  opened.push(queue)
  return queue
}

const task = (host: string, ...endpoints: string[]) => ({ host, endpoints })

test('default: two processes share the hosts and never work on one at the same time', async () => {
  const queues = [await open({ concurrency: 4 }), await open({ concurrency: 4 })]
  const hosts = Array.from({ length: 200 }, (_, index) => `host${index}.example`)
  const done: string[] = []
  const by = [0, 0]
  const under = new Set<string>()
  const handler =
    (index: 0 | 1): CrawlHandler =>
    async ({ host }) => {
      expect(under.has(host)).toBe(false)
      under.add(host)
      await sleep(2)
      under.delete(host)
      done.push(host)
      by[index] = (by[index] ?? 0) + 1
    }
  await queues[0]?.offer(hosts.map((host) => task(host, `https://${host}/a`)))
  await queues[0]?.work(handler(0))
  await queues[1]?.work(handler(1))
  await expect.poll(() => done.length, { timeout: 10_000 }).toBe(200)
  expect([...done].sort()).toEqual([...hosts].sort())
  expect(Math.min(...by)).toBeGreaterThan(0)
})

test('behavior: queues a host once, with all its endpoints', async () => {
  const queue = await open()
  await queue.offer([task('a.example', 'x'), task('b.example', 'z')])
  await queue.offer([task('a.example', 'x', 'y')])
  expect(Object.fromEntries(await queue.waiting())).toEqual({ 'a.example': 3, 'b.example': 1 })
  const seen: unknown[] = []
  await queue.work(async (work) => void seen.push(work))
  await expect.poll(() => seen).toEqual(expect.arrayContaining([task('a.example', 'x', 'y')]))
  await expect.poll(() => queue.waiting()).toEqual(new Map())
  expect(seen).toHaveLength(2)
})

test('behavior: drops tasks of another version', async () => {
  const queue = await open()
  await queue.offer([task('a.example', 'x')])
  const client = new pg.Client(database.url)
  await client.connect()
  await client.query(`UPDATE ${database.schema}_queue._private_jobs SET payload = '{"host":"a.example"}'`)
  await client.end()
  expect(await queue.waiting()).toEqual(new Map())
  const seen: unknown[] = []
  await queue.work(async (work) => void seen.push(work))
  await queue.offer([task('b.example', 'y')])
  await expect.poll(() => seen).toEqual([task('b.example', 'y')])
})

test('behavior: a host that is offered again waits until its current task ends', async () => {
  const queues = [await open({ busyRetryMs: 20 }), await open({ busyRetryMs: 20 })]
  let under = 0
  let most = 0
  let runs = 0
  const handler: CrawlHandler = async () => {
    under += 1
    most = Math.max(most, under)
    await sleep(100)
    under -= 1
    runs += 1
  }
  for (const queue of queues) await queue.work(handler)
  await queues[0]?.offer([task('a.example', 'x')])
  await expect.poll(() => under).toBe(1)
  await queues[1]?.offer([task('a.example', 'y')])
  await expect.poll(() => runs, { timeout: 5000 }).toBe(2)
  expect(most).toBe(1)
})

test('behavior: retries a failed task', async () => {
  const queue = await open()
  let runs = 0
  await queue.work(async () => {
    runs += 1
    if (runs === 1) throw new Error('the first try fails')
  })
  await queue.offer([task('a.example', 'x')])
  // The retry is due seconds later; let the time pass in the database.
  const jobs = `${database.schema}_queue._private_jobs`
  const client = new pg.Client(database.url)
  await client.connect()
  await expect
    .poll(async () => (await client.query(`SELECT run_at > now() AS later, last_error FROM ${jobs}`)).rows)
    .toEqual([{ later: true, last_error: expect.stringContaining('the first try fails') }])
  await client.query(`UPDATE ${jobs} SET run_at = now()`)
  await client.end()
  await expect.poll(() => runs, { timeout: 10_000 }).toBe(2)
})

test('behavior: hands the task of a dead process to another one', { timeout: 20_000 }, async () => {
  const queue = await open({ recoverEveryMs: 200 })
  await queue.offer([task('a.example', 'x')])
  const client = new pg.Client(database.url)
  await client.connect()
  // As a killed worker leaves it: locked a while ago by a worker without a connection.
  await client.query(
    `UPDATE ${database.schema}_queue._private_jobs SET locked_by = 'gone', locked_at = now() - interval '1 minute', attempts = 1`,
  )
  await client.end()
  const seen: string[] = []
  await queue.work(async ({ host }) => void seen.push(host))
  await expect.poll(() => seen, { timeout: 10_000 }).toEqual(['a.example'])
})

test('behavior: leaves a long task to its live process, and aborts it when the connection is lost', async () => {
  const queues = [await open({ recoverEveryMs: 20 }), await open({ recoverEveryMs: 20 })]
  let runs = 0
  let aborted = false
  const handler: CrawlHandler = async (_task, signal) => {
    runs += 1
    if (runs > 1) return
    await once(signal, 'abort')
    aborted = true
  }
  await queues[0]?.work(handler)
  await queues[0]?.offer([task('a.example', 'x')])
  await expect.poll(() => runs).toBe(1)
  await queues[1]?.work(handler)
  const client = new pg.Client(database.url)
  await client.connect()
  await client.query(
    `UPDATE ${database.schema}_queue._private_jobs SET locked_at = now() - interval '1 minute'`,
  )
  // Several recoveries.
  await sleep(150)
  expect([runs, aborted]).toEqual([1, false])
  await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = 40201)`)
  await client.end()
  await expect.poll(() => aborted).toBe(true)
})

test('error: fails if the database accepts connections but does not answer', async () => {
  const sockets = new Set<Socket>()
  const silent = createServer((socket) => sockets.add(socket.on('error', () => undefined)))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const address = silent.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = `postgres://touchstone@127.0.0.1:${address.port}/touchstone`
  await expect(createCrawlQueue({ url, connectTimeoutMs: 50 })).rejects.toThrow(StoreUnavailableError)
})

test('behavior: work alone on a host overlaps with no other process, and a caller that left waits no longer', async () => {
  const queues = [await open(), await open()]
  let under = 0
  let most = 0
  const work = async () => {
    under += 1
    most = Math.max(most, under)
    await sleep(50)
    under -= 1
    return 'done'
  }
  const results = await Promise.all([...queues, ...queues].map((queue) => queue.alone('a.example', work)))
  expect([results, most]).toEqual([['done', 'done', 'done', 'done'], 1])
  const gone = AbortSignal.abort(new Error('the client has gone'))
  await expect(queues[0]?.alone('a.example', work, gone)).rejects.toThrow('the client has gone')
})
