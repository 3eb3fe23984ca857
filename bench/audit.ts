import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Clock,
  createAuditor,
  createCrawler,
  createLowdbStore,
  createReadModel,
  type Directory,
  type ListedRow,
  type Observation,
  type ProbeResult,
  type Prober,
  type Store,
} from '@touchstone402/server/parts'
import { watchStalls } from './support/watchStalls.ts'

const NETWORK = 'eip155:8453'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const ENDPOINTS_PER_HOST = 5
const CLIENTS = 4
const SIX_HOURS = 6 * 3_600_000
/** Maximum event loop stall during a crawl, ms. */
const STALL_BAR_MS = 50

/**
 * Measures the worst event loop stall of a crawl over endpoints with a long history, while directories are read and
 * every endpoint is probed, judged and stored on disk. Sellers answer at once, so only our own work is measured.
 */
export async function run({ short }: { short: boolean }) {
  const [endpoints, looks] = short ? [2_000, 20] : [10_000, 100]
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-bench-'))
  const store = await createLowdbStore({ directory })
  try {
    await fill(store, endpoints, looks)
    process.stderr.write(`${endpoints * looks} observations stored\n`)
    const first = await crawl(store, endpoints)
    process.stderr.write(`first round: ${JSON.stringify(first)}\n`)
    const second = await crawl(store, endpoints)
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

/** Stores the history: a probe of each endpoint every six hours, with rotating client identities. */
async function fill(store: Store, endpoints: number, looks: number): Promise<void> {
  const start = Date.now() - looks * SIX_HOURS
  for (let look = 0; look < looks; look++) {
    const at = start + look * SIX_HOURS
    const round = Array.from({ length: endpoints }, (_, endpoint) =>
      observation(endpoint, look, at + endpoint),
    )
    for (let from = 0; from < endpoints; from += 1000) await store.append(round.slice(from, from + 1000))
  }
}

async function crawl(store: Store, endpoints: number) {
  const ending = new AbortController()
  const readModel = await createReadModel(store)
  const clock: Clock = {
    now: () => Date.now(),
    sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
    hold: () => () => {},
  }
  let ids = 0
  const newId = (prefix: string) => `${prefix}_${process.pid}_${ids++}`
  const prober = createInstantProber()
  const auditor = createAuditor({
    store,
    prober,
    readModel,
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
    readModel,
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
  const stalled = setTimeout(() => ending.abort(), 600_000)
  // After a restart nothing is due, so this measures directory reading and scheduling alone.
  const known = readModel.hosts().length > 0
  if (known) setTimeout(() => ending.abort(), 10_000)
  await crawler.run(ending.signal)
  clearTimeout(stalled)
  const { maxMs, maxWallMs } = stalls()
  const seconds = (performance.now() - startedAt) / 1000
  if (errors.length > 0) throw errors[0]
  return {
    looks: crawler.progress().looks,
    looksPerSecond: Math.round(crawler.progress().looks / seconds),
    maxStallMs: round(maxMs),
    maxWallStallMs: round(maxWallMs),
  }
}

function createInstantProber(): Prober {
  return {
    clients: CLIENTS,
    async probe({ url, client }): Promise<ProbeResult> {
      await sleep(1)
      const number = Number(new URL(url).pathname.split('/').at(-1))
      const {
        kind: _kind,
        id: _id,
        at: _at,
        endpoint: _e,
        host: _h,
        purpose: _p,
        ...result
      } = observation(Number.isInteger(number) ? number : 0, client, 0)
      return result
    },
    document: async () => null,
    close: async () => {},
  }
}

function createBigDirectory(endpoints: number): Directory {
  return {
    name: 'bazaar',
    async *pages() {
      for (let from = 0; from < endpoints; from += 100) {
        await sleep(0)
        yield { rows: Array.from({ length: 100 }, (_, index) => listing(from + index)), skipped: {} }
      }
    },
  }
}

const hostOf = (endpoint: number) => `api-${Math.floor(endpoint / ENDPOINTS_PER_HOST)}.example.com`
const urlOf = (endpoint: number) => `https://${hostOf(endpoint)}/v1/resource/${endpoint}`
const payToOf = (endpoint: number) => `0x${(endpoint + 1).toString(16).padStart(40, '0')}`

function listing(endpoint: number): ListedRow {
  return {
    directory: 'bazaar',
    endpoint: urlOf(endpoint),
    host: hostOf(endpoint),
    url: urlOf(endpoint),
    method: 'GET',
    body: null,
    declaresInput: true,
    declaresOutput: true,
    title: `Resource ${endpoint}`,
    category: `category-${endpoint % 8}`,
    claims: {
      network: NETWORK,
      asset: USDC,
      payTo: payToOf(endpoint),
      amountAtomic: '10000',
      priceUsd: 0.01,
      healthy: null,
      calls: null,
    },
    claimedAt: null,
    ownClaim: true,
  }
}

function observation(endpoint: number, look: number, at: number): Observation {
  return {
    kind: 'observation',
    id: `obs_${endpoint}_${look}`,
    at,
    endpoint: urlOf(endpoint),
    host: hostOf(endpoint),
    purpose: 'scheduled',
    client: `client-${look % CLIENTS}`,
    method: 'GET',
    outcome: 'up',
    cause: 'challenge',
    httpStatus: 402,
    latencyMs: 20 + ((endpoint + look) % 300),
    versions: [2],
    offers: [
      {
        x402Version: 2,
        scheme: 'exact',
        network: NETWORK,
        asset: USDC,
        payTo: payToOf(endpoint),
        amountAtomic: '10000',
        unsafeFlow: null,
      },
    ],
    resourceOrigin: `https://${hostOf(endpoint)}`,
    declaresInput: true,
    declaresOutput: true,
    disagreements: [],
    problems: [],
  }
}

const round = (value: number) => Math.round(value * 10) / 10
