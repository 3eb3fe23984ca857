import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Clock,
  createAuditor,
  createCrawler,
  createEmbeddedStore,
  createReadModel,
  type Directory,
  type Store,
} from '@touchstone402/server/parts'
import { watchStalls } from '../e2e/support/watchStalls.ts'
import { looksOf, rowOf } from './support/history.ts'
import { createProber } from './support/instantProber.ts'
import { judgeAtOnce } from './support/judged.ts'

const DAY = 24 * 3_600_000
/** Maximum event loop stall during a crawl, ms. */
const STALL_BAR_MS = 50
/** Number of documents that are written at once. */
const AT_ONCE = 64

/**
 * A crawl over endpoints with a long history stalls the event loop for at most 50 ms.
 *
 * Measures the worst event loop stall of a crawl over endpoints with a long history, while directories are read and
 * every endpoint is probed, judged and stored on disk. Sellers answer at once, so only our own work is measured.
 */
export async function run({ short }: { short: boolean }) {
  const [endpoints, looks] = short ? [2_000, 20] : [10_000, 100]
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-bench-'))
  const store = await createEmbeddedStore({ directory })
  try {
    await fill(store, endpoints, looks)
    process.stderr.write(`${endpoints * looks} observations stored\n`)
    const first = await crawl(store, endpoints)
    process.stderr.write(`first round: ${JSON.stringify(first)}\n`)
    // Nothing is due any more, so this measures directory reading and scheduling alone.
    const second = await crawl(store, endpoints, 10_000)
    process.stderr.write(`after a restart: ${JSON.stringify(second)}\n`)
    const maxStallMs = Math.max(first.maxStallMs, second.maxStallMs)
    const figures = {
      endpoints,
      observationsEach: looks,
      maxStallMs,
      maxWallStallMs: Math.max(first.maxWallStallMs, second.maxWallStallMs),
      looksPerSecond: first.looksPerSecond,
      memoryMb: Math.round(process.memoryUsage.rss() / 1e6),
    }
    return { ok: maxStallMs <= STALL_BAR_MS, figures }
  } finally {
    await store.close()
    await rm(directory, { recursive: true, force: true })
  }
}

/** Stores the history. It ends two days ago, so that every endpoint is due. */
async function fill(store: Store, endpoints: number, looks: number): Promise<void> {
  const end = Date.now() - 2 * DAY
  let next = 0
  const write = async () => {
    for (let endpoint = next++; endpoint < endpoints; endpoint = next++) {
      const made = looksOf(endpoint, looks, end)
      const { document, written } = judgeAtOnce(endpoint, made)
      await store.putEndpoint(document, { ...written, facts: [...written.facts, ...made] })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, write))
}

/** @param maxMs duration of the crawl. @default until every endpoint was probed */
async function crawl(store: Store, endpoints: number, maxMs = 600_000) {
  const ending = new AbortController()
  const readModel = await createReadModel(store)
  const clock: Clock = {
    now: () => Date.now(),
    sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
    hold: () => () => {},
  }
  let ids = 0
  const newId = (prefix: string) => `${prefix}_${process.pid}_${ids++}`
  const auditor = createAuditor({
    store,
    prober: createProber(clock.now),
    categoryPrice: readModel.categoryPrice,
    profiler: { refresh: async () => {} },
    announcements: { read: async () => [] },
    optOut: { isOptedOut: async () => false },
    clock,
    random: () => 0.5,
    newId,
  })
  const errors: unknown[] = []
  const crawler = createCrawler({
    auditor,
    store,
    clock,
    newId,
    directories: [createBigDirectory(endpoints)],
    concurrency: 64,
    onError: (_directory, error) => errors.push(error),
    onLookError: (_endpoint, error) => errors.push(error),
    onProgress: ({ looks }) => {
      if (looks >= endpoints) ending.abort()
    },
  })
  await sleep(1000)
  const stalls = watchStalls()
  const startedAt = performance.now()
  const stalled = setTimeout(() => ending.abort(), maxMs)
  await crawler.run(ending.signal)
  clearTimeout(stalled)
  const { maxMs: maxStallMs, maxWallMs } = stalls()
  const seconds = (performance.now() - startedAt) / 1000
  await readModel.close()
  if (errors.length > 0) throw errors[0]
  return {
    looks: crawler.progress().looks,
    looksPerSecond: Math.round(crawler.progress().looks / seconds),
    maxStallMs: round(maxStallMs),
    maxWallStallMs: round(maxWallMs),
  }
}

function createBigDirectory(endpoints: number): Directory {
  return {
    name: 'bazaar',
    async *pages() {
      for (let from = 0; from < endpoints; from += 100) {
        await sleep(0)
        yield { rows: Array.from({ length: 100 }, (_, index) => rowOf(from + index)), skipped: {} }
      }
    },
  }
}

const round = (value: number) => Math.round(value * 10) / 10
