import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createEmbeddedStore, type Store } from '@touchstone402/server/parts'
import { lookAt, looksOf } from './support/history.ts'
import { judgeAtOnce } from './support/judged.ts'

/** Concurrent writers of a crawl. Each waits until its look is durable. */
const WRITERS = 256
/** Looks by which a document is judged. */
const DOCUMENT_LOOKS = 4
const START = Date.UTC(2026, 0, 1)

/**
 * Measures the write rate of the embedded store, relative to better-sqlite3 with one durable transaction per probe in
 * the same run, and its worst event loop stall while it writes looks and documents of many endpoints.
 */
export async function run({ short }: { short: boolean }) {
  await buildPeer()
  const probes = short ? 20_000 : 100_000
  const rates: { own: number; peer: number }[] = []
  for (let turn = 0; turn < 3; turn++) {
    rates.push({ own: await writeOwn(probes), peer: await writePeer(probes / 10) })
    process.stderr.write(`${JSON.stringify(rates.at(-1))} probes a second\n`)
  }
  const ratios = rates.map(({ own, peer }) => own / peer).sort((a, b) => a - b)
  const vsBetterSqlite3 = round(ratios[1] ?? 0)
  const load = await measureStalls(short ? 2_000 : 10_000, short ? 20 : 100)
  const figures = { vsBetterSqlite3, ...load, probesPerSecond: Math.round(rates[1]?.own ?? 0) }
  return { ok: vsBetterSqlite3 >= 4 && load.maxStallMs <= 200, figures }
}

async function writeOwn(probes: number): Promise<number> {
  return inScratch(async (directory) => {
    const store = await createEmbeddedStore({ directory })
    const seconds = await timed(() => crawl(store, probes / 100, 100))
    await store.close()
    return probes / seconds
  })
}

async function writePeer(probes: number): Promise<number> {
  const { default: Database } = await import('better-sqlite3')
  return inScratch(async (directory) => {
    const database = new Database(join(directory, 'peer.db'))
    database.pragma('journal_mode = WAL')
    // NORMAL would lose acknowledged records in a power failure.
    database.pragma('synchronous = FULL')
    database.exec('CREATE TABLE observation (id TEXT PRIMARY KEY, endpoint TEXT, at INTEGER, data TEXT)')
    database.exec('CREATE INDEX by_endpoint ON observation (endpoint, at)')
    const insert = database.prepare('INSERT INTO observation VALUES (?, ?, ?, ?)')
    const seconds = await timed(async () => {
      for (let number = 0; number < probes; number++) {
        const one = observation(number % (probes / 100), number)
        insert.run(one.id, one.endpoint, one.at, JSON.stringify(one))
      }
    })
    database.close()
    return probes / seconds
  })
}

/** Fills a store with looks and documents, while both are written at once too, and opens it again. */
async function measureStalls(endpoints: number, looks: number) {
  return inScratch(async (directory) => {
    const store = await createEmbeddedStore({ directory })
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const seconds = await timed(() => crawl(store, endpoints, looks))
    await Promise.all([putDocuments(store, endpoints), crawl(store, endpoints, 2)])
    delay.disable()
    const memoryMb = Math.round(process.memoryUsage.rss() / 1e6)
    await store.close()
    await sleep(100)
    const openSeconds = await timed(async () => (await createEmbeddedStore({ directory })).close())
    return {
      maxStallMs: round(delay.max / 1e6),
      p99StallMs: round(delay.percentile(99) / 1e6),
      endpoints,
      observations: endpoints * (looks + 2),
      fillSeconds: round(seconds),
      openSeconds: round(openSeconds),
      memoryMb,
    }
  })
}

/** Appends `looks` looks at each endpoint. Each writer waits for its acknowledgement. */
async function crawl(store: Store, endpoints: number, looks: number): Promise<void> {
  let next = 0
  const writers = Array.from({ length: WRITERS }, async () => {
    for (let number = next++; number < endpoints * looks; number = next++) {
      await store.append([observation(number % endpoints, number)])
    }
  })
  await Promise.all(writers)
}

async function putDocuments(store: Store, endpoints: number): Promise<void> {
  let next = 0
  const writers = Array.from({ length: WRITERS }, async () => {
    for (let endpoint = next++; endpoint < endpoints; endpoint = next++) {
      await store.putEndpoint(judgeAtOnce(endpoint, looksOf(endpoint, DOCUMENT_LOOKS, START)).document)
    }
  })
  await Promise.all(writers)
}

function observation(endpoint: number, number: number) {
  return lookAt(endpoint, number, START + number)
}

/** Runs the install script of better-sqlite3, which the workspace install skips because it needs a compiler. */
async function buildPeer(): Promise<void> {
  const { resolve } = createRequire(import.meta.url)
  const directory = dirname(resolve('better-sqlite3/package.json'))
  const { default: Database } = await import('better-sqlite3')
  try {
    new Database(':memory:').close()
  } catch {
    process.stderr.write('Building better-sqlite3, which takes about a minute\n')
    await promisify(execFile)('npm', ['run', 'install'], { cwd: directory })
  }
}

async function inScratch<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-bench-'))
  try {
    return await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
