import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '@touchstone402/server/parts'
import { quantile, sendLoad } from '../../support/load/client.ts'
import { type ServerProcess, startServiceProcess } from '../../support/servers.ts'
import { ALONE } from '../../support/settings.ts'
import { openSellers } from '../cluster/sellers.ts'
import { EACH, fillDatabase, makeDue, PAY_TO, urlOf } from './fill.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const BARS = { rssMb: 600, looksPerSecond: 150, readySeconds: 10 }
/** Verdicts requested per second during the crawl. */
const VERIFY_PER_SECOND = 50

/**
 * A million endpoints neither slow the crawl nor fill the memory of a process.
 *
 * One API process and two workers keep their memory and their pace on a database of many endpoints, while every endpoint
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
    await fillDatabase({ url: database.url, hosts, port })
    process.stderr.write(`filled in ${Math.round((performance.now() - filling) / 1000)} s\n`)
    const opening = performance.now()
    const api = await open('api', 'api')
    const readySeconds = (await untilReady(api.origin, opening)) / 1000
    const workers = [await open('worker', 'worker1'), await open('worker', 'worker2')]
    await makeDue(database.url)
    const crawled = await crawl(api, workers, crawlMs, () =>
      urlOf(Math.floor(Math.random() * endpoints), port),
    )
    const figures = {
      endpoints,
      apiRssMb: Math.round((await api.measure()).peakRssMb),
      workerRssMb: Math.round(Math.max(...crawled.usages.map(({ peakRssMb }) => peakRssMb))),
      verifyP99Ms: round(crawled.verifyP99Ms),
      looksPerSecond: Math.round(crawled.looksPerSecond),
      overlapping: sellers.overlapping(),
      readySeconds: round(readySeconds),
      failedLooks: crawled.usages.reduce((sum, { failures }) => sum + failures, 0),
      failedVerifies: crawled.errors,
    }
    const isWithin =
      figures.apiRssMb <= BARS.rssMb &&
      figures.workerRssMb <= BARS.rssMb &&
      figures.looksPerSecond >= BARS.looksPerSecond &&
      figures.readySeconds <= BARS.readySeconds
    const hasFailed = figures.overlapping > 0 || figures.failedLooks > 0 || figures.failedVerifies > 0
    return { ok: isWithin && !hasFailed, figures }
  } finally {
    for (const member of members) await member.stop()
    await sellers.stop()
    await database.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** Resolves to the time since then once a service is ready. */
async function untilReady(origin: string, since: number): Promise<number> {
  const isReady = () =>
    fetch(`${origin}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    )
  while (!(await isReady())) await sleep(20)
  return performance.now() - since
}

/** Requests verdicts for some time while the workers crawl. */
async function crawl(
  api: ServerProcess,
  workers: readonly ServerProcess[],
  durationMs: number,
  nextUrl: () => string,
) {
  const looksOf = async () => {
    const usages = await Promise.all(workers.map((worker) => worker.measure()))
    return { usages, looks: usages.reduce((sum, { looks }) => sum + looks, 0) }
  }
  const before = await looksOf()
  const startedAt = performance.now()
  const { latenciesMs, errors } = await sendLoad({
    origin: api.origin,
    nextPath: () => `/verify?endpoint=${encodeURIComponent(nextUrl())}`,
    perSecond: VERIFY_PER_SECOND,
    durationMs,
  })
  const { usages, looks } = await looksOf()
  const seconds = (performance.now() - startedAt) / 1000
  return {
    usages,
    errors,
    looksPerSecond: (looks - before.looks) / seconds,
    verifyP99Ms: quantile(latenciesMs, 0.99),
  }
}

const round = (value: number) => Math.round(value * 100) / 100
