import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore, sql, startPostgres } from '@touchstone402/server/testing'
import { quantile, sendLoad } from '../../support/load/client.ts'
import { hostName, putHosts } from '../../support/manyHosts.ts'
import { multiply } from '../../support/multiply.ts'
import { type ServerProcess, startServiceProcess } from '../../support/servers.ts'
import { ALONE } from '../../support/settings.ts'
import { type Place, withSql } from '../../support/withSql.ts'
import { openSellers } from '../cluster/sellers.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
/** Receiver of the first host, of which the others are copies. */
const PAY_TO = `0x${'1'.padStart(40, '0')}`
/** Endpoints per host. */
const EACH = 5
const BARS = { rssMb: 600, probesPerSecond: 75, readySeconds: 5 }
/** Verdicts requested per second during the crawl. */
const VERIFY_PER_SECOND = 50

/**
 * A million endpoints neither slow the crawl nor fill the memory of a process.
 *
 * One API process and a worker keep their memory and their pace on a database of many endpoints, while every endpoint
 * is due and verdicts are asked for.
 */
export async function run({ short }: { short: boolean }) {
  const hosts = short ? 10_000 : 200_000
  const endpoints = hosts * EACH
  const crawlMs = short ? 30_000 : 180_000
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-million-'))
  const database = await startPostgres()
  const sellers = await openSellers(PAY_TO, USDC)
  const { port } = sellers
  const members: ServerProcess[] = []
  const open = async (role: 'api' | 'worker', name: string) => {
    const settings = {
      ...ALONE,
      DEVELOPMENT_ALLOW_HOSTS: `127.0.0.1:${port}`,
      DATABASE_URL: database.url,
      DATA_DIR: join(directory, name),
      SIGNING_KEY_FILE: join(directory, 'signing-keys.json'),
    }
    const member = await startServiceProcess(settings, { role, isOnLoopback: true })
    members.push(member)
    return member
  }
  try {
    const filling = performance.now()
    await fill({ databaseUrl: database.url, dataDir: directory }, hosts, (name) => `http://${name}:${port}`)
    const fillSeconds = Math.round((performance.now() - filling) / 1000)
    process.stderr.write(`filled in ${fillSeconds} s\n`)
    const api = await open('api', 'api')
    const readySeconds = (await untilReady(api)) / 1000
    const worker = await open('worker', 'worker')
    const crawled = await crawl(api, worker, crawlMs, () => {
      const endpoint = Math.floor(Math.random() * endpoints)
      return `http://${hostName(Math.floor(endpoint / EACH))}:${port}/v1/resource/${endpoint % EACH}`
    })
    const figures = {
      endpoints,
      apiRssMb: Math.round((await api.measure()).peakRssMb),
      workerRssMb: Math.round(crawled.usage.peakRssMb),
      verifyP99Ms: round(crawled.verifyP99Ms),
      probesPerSecond: Math.round(crawled.probesPerSecond),
      overlapping: sellers.overlapping(),
      readySeconds: round(readySeconds),
      fillSeconds,
      failedProbes: crawled.usage.failures,
      failedVerifies: crawled.errors,
    }
    const isWithin =
      figures.apiRssMb <= BARS.rssMb &&
      figures.workerRssMb <= BARS.rssMb &&
      figures.probesPerSecond >= BARS.probesPerSecond &&
      figures.readySeconds <= BARS.readySeconds
    const hasFailed = figures.overlapping > 0 || figures.failedProbes > 0 || figures.failedVerifies > 0
    return { ok: isWithin && !hasFailed, figures }
  } finally {
    for (const member of members) await member.stop()
    await sellers.stop()
    await database.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** Resolves once a service is ready to the time that its start took, in ms. */
async function untilReady({ origin, startedAt }: ServerProcess): Promise<number> {
  const isReady = () =>
    fetch(`${origin}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    )
  while (!(await isReady())) await sleep(20)
  return Date.now() - startedAt
}

/** Fills a database with copies of one host. Every endpoint is due for a probe. */
async function fill(place: Place, hosts: number, originOf: (name: string) => string): Promise<void> {
  const now = Date.now()
  const store = await openStore(place)
  await putHosts(store, { hosts: 1, now, endpoints: EACH, originOf })
  await store.close()
  await withSql(place, async (db) => {
    await sql`update endpoint set due_at = ${now}`.execute(db)
    await sql`update host set due_at = ${now}`.execute(db)
  })
  await multiply(place, 1, hosts)
}

/** Requests verdicts for some time while the worker crawls. */
async function crawl(api: ServerProcess, worker: ServerProcess, durationMs: number, nextUrl: () => string) {
  const { probes } = await worker.measure()
  const startedAt = performance.now()
  const { latenciesMs, errors } = await sendLoad({
    origin: api.origin,
    nextPath: () => `/verify?endpoint=${encodeURIComponent(nextUrl())}`,
    perSecond: VERIFY_PER_SECOND,
    durationMs,
  })
  const usage = await worker.measure()
  const seconds = (performance.now() - startedAt) / 1000
  const verifyP99Ms = quantile(latenciesMs, 0.99)
  return { usage, errors, probesPerSecond: (usage.probes - probes) / seconds, verifyP99Ms }
}

const round = (value: number) => Math.round(value * 100) / 100
