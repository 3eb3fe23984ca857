import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inputsLeaves, openStore } from '@touchstone402/server/testing'
import { BASE_USDC } from '@touchstone402/shared'
import type { RunOptions } from '../../e2e/readOptions.ts'
import { bundleService } from '../../e2e/support/bundleService.ts'
import { startChild } from '../../e2e/support/child.ts'
import { quantile, sendLoad } from '../../e2e/support/load/client.ts'
import { verifyPath } from '../../e2e/support/load/openLoaded.ts'
import { putHosts } from '../../e2e/support/manyHosts.ts'
import { type ServerProcess, startHello, startServer } from '../../e2e/support/servers.ts'
import { readThreads } from './readThreads.ts'
import type { PurchaseOrder, Purchases, World } from './world.ts'

/** Options that take a number; `profile`, of any, lists the functions that take most of the main thread. */
export const numbers = ['hosts', 'seconds', 'profile']

const WORLD = new URL('./world.ts', import.meta.url)
/** Endpoints of each host. */
const EACH = 3
const HOSTS = 3_334
/** Calls of each kind per second. */
const PER_SECOND = 60
const PAID_PER_SECOND = 5
/** Endpoints that live checks and histories are bought of. */
const CHECKED = 50
/** Endpoints that come due each second. */
const DUE_PER_SECOND = 27
/** Time from the filling to the first due endpoint: the service starts meanwhile, so that none waits. */
const START_MS = 16_000
/** Time from the first due endpoint until anything is measured: caches fill, code is compiled. */
const WARM_MS = { short: 4_000, full: 30_000 }
const DAY = 86_400_000
/** Days whose probes the service would log first. */
const LOGGED_DAYS = 9
const BARS = {
  delayVsIdle: 4,
  mainShare: 0.5,
  verifyP99VsHello: 3,
  pagesP99VsHello: 8,
  probesPerSecond: 25,
  rssMb: 350,
}

/**
 * People get their answers while the service crawls and sells.
 *
 * A service of 10,000 endpoints on 3,334 hosts, whose receivers it reads on a chain, probes 27 endpoints a second, answers
 * 60 calls a second each of `/verify`, pages and JSON, and sells 5 answers a second to stock clients. An Express hello gets
 * 60 calls a second in the same run, and a second one none, which tells how late a process without work is: all share the
 * machine with the chain, the facilitator, the sellers and the load.
 */
export async function run({ short, numbers: given }: RunOptions) {
  const hosts = given.get('hosts') ?? HOSTS
  const seconds = given.get('seconds') ?? (short ? 18 : 120)
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-load-'))
  const world = startChild(WORLD)
  const [hello, idle] = [await startHello('express', false), await startHello('express', false)]
  let service: ServerProcess | undefined
  try {
    const { sellersPort, settings } = await world.hear<World>()
    const dueFrom = Date.now() + START_MS
    const urls = await fill(directory, hosts, sellersPort, dueFrom)
    service = await startServer(
      await bundleService(),
      {
        ...settings,
        DEVELOPMENT_ALLOW_HOSTS: `127.0.0.1:${sellersPort}`,
        DIRECTORIES: 'file=/dev/null',
        DATA_DIR: directory,
        METRICS_PORT: '0',
        // As docs/operations/install.md advises.
        NODE_OPTIONS: '--max-old-space-size=512',
      },
      { hasThreads: true, isOnLoopback: true },
    )
    const load = { service, hello, urls }
    const warmMs = dueFrom + WARM_MS[short ? 'short' : 'full'] - Date.now()
    await Promise.all([sendAll(load, warmMs), world.ask<Purchases>(orderFor(service.origin, urls, warmMs))])
    const profile = given.has('profile') ? ({ profile: 'begin' } as const) : {}
    const before = await service.measure({ isStart: true, ...profile })
    await Promise.all([hello.measure({ isStart: true }), idle.measure({ isStart: true })])
    const threadsBefore = await readThreads(service.metricsUrl)
    const startedAt = performance.now()
    const buying = world.ask<Purchases>(orderFor(service.origin, urls, seconds * 1000))
    const served = await sendAll(load, seconds * 1000)
    const ms = performance.now() - startedAt
    const shares = [...(await readThreads(service.metricsUrl))].map(
      ([thread, seconds]) =>
        [thread, round((seconds - (threadsBefore.get(thread) ?? 0)) / (ms / 1000))] as const,
    )
    const after = await service.measure(given.has('profile') ? { profile: 'end' } : {})
    const [helloAfter, idleAfter] = [await hello.measure(), await idle.measure()]
    const bought = await buying
    for (const { name, selfMs } of after.hotFunctions ?? []) process.stderr.write(`${selfMs} ms ${name}\n`)
    for (const [kind, { errors, refused }] of Object.entries(served))
      if (errors > 0) process.stderr.write(`${kind}: ${errors} errors ${JSON.stringify(refused)}\n`)
    if (Object.keys(bought.others).length > 0)
      process.stderr.write(`purchases: ${JSON.stringify(bought.others)}\n`)
    const helloP99Ms = served.hello.p99Ms
    const figures = {
      endpoints: urls.length,
      seconds,
      delayP99Ms: round(after.delayP99Ms),
      idleDelayP99Ms: round(idleAfter.delayP99Ms),
      helloDelayP99Ms: round(helloAfter.delayP99Ms),
      delayVsIdle: round(after.delayP99Ms / idleAfter.delayP99Ms),
      shares: Object.fromEntries(shares),
      helloP99Ms: round(helloP99Ms),
      verifyP99Ms: round(served.verify.p99Ms),
      pagesP99Ms: round(served.pages.p99Ms),
      jsonP99Ms: round(served.json.p99Ms),
      verifyP99VsHello: round(served.verify.p99Ms / helloP99Ms),
      pagesP99VsHello: round(served.pages.p99Ms / helloP99Ms),
      probesPerSecond: round((after.probes - before.probes) / (ms / 1000)),
      failedProbes: after.failures - before.failures,
      rssMb: Math.round(after.rssMb),
      paid: bought.delivered,
      paidP99Ms: round(quantile(Float64Array.from(bought.latenciesMs).sort(), 0.99)),
      lostOrTwice: Object.values(bought.others).reduce((sum, count) => sum + count, 0),
      earnedWhatIsOwed: bought.earned === bought.owed,
      errors: Object.values(served).reduce((sum, { errors }) => sum + errors, 0),
    }
    process.stderr.write(`bars: ${JSON.stringify(BARS)}\n`)
    const ok =
      figures.delayVsIdle <= BARS.delayVsIdle &&
      (figures.shares.main ?? 1) <= BARS.mainShare &&
      figures.verifyP99VsHello <= BARS.verifyP99VsHello &&
      figures.pagesP99VsHello <= BARS.pagesP99VsHello &&
      figures.probesPerSecond >= BARS.probesPerSecond &&
      figures.rssMb <= BARS.rssMb &&
      figures.earnedWhatIsOwed &&
      figures.lostOrTwice + figures.errors + figures.failedProbes === 0
    return { ok, figures }
  } finally {
    await Promise.all([service?.stop(), hello.stop(), idle.stop()])
    world.process.send('stop')
    await world.gone
    await rm(directory, { recursive: true, force: true })
  }
}

/** Fills a data folder with hosts that were audited for a month, whose endpoints come due at a fixed rate. */
async function fill(directory: string, hosts: number, port: number, dueFrom: number): Promise<string[]> {
  const store = await openStore({ databaseUrl: null, dataDir: directory })
  const now = Date.now()
  try {
    for (let back = 0; back < LOGGED_DAYS; back++) {
      const date = new Date(now - back * DAY).toISOString().slice(0, 10)
      await store.write(
        'addLeaves',
        inputsLeaves(date, [], now, () => ''),
      )
    }
    return await putHosts(store, {
      hosts,
      now,
      endpoints: EACH,
      originOf: (name) => `http://${name}:${port}`,
      dueAt: (place) => dueFrom + (1000 * place) / DUE_PER_SECOND,
    })
  } finally {
    await store.close()
  }
}

type Load = {
  readonly service: ServerProcess
  readonly hello: ServerProcess
  readonly urls: readonly string[]
}

/** Sends calls of each kind at once. */
async function sendAll({ service, hello, urls }: Load, durationMs: number) {
  const send = async ({ origin }: ServerProcess, nextPath: () => string) => {
    const { latenciesMs, errors, refused } = await sendLoad({
      origin,
      nextPath,
      durationMs,
      perSecond: PER_SECOND,
    })
    return { p99Ms: quantile(latenciesMs, 0.99), errors, refused }
  }
  const any = () => urls[Math.floor(Math.random() * urls.length)] ?? ''
  const profileOf = (url: string) => `/services/${encodeURIComponent(new URL(url).host)}`
  const pages = [
    () => '/',
    () => profileOf(any()),
    () => `/?page=${1 + Math.floor((Math.random() * urls.length) / EACH / 25)}`,
    () => profileOf(any()),
    () => '/?sort=name&page=2',
    () => '/methodology',
  ]
  const json = ['/status.json', '/incidents.json?days=7', '/changes.json?days=7', '/trust-score.json']
  const [verify, shown, read, greeted] = await Promise.all([
    send(service, () => verifyPath(any())),
    send(service, inTurns(pages)),
    send(service, inTurns(json.map((path) => () => path))),
    send(hello, () => '/'),
  ])
  return { verify, pages: shown, json: read, hello: greeted }
}

/** Returns an order of all kinds of paid answers. */
function orderFor(origin: string, urls: readonly string[], ms: number): PurchaseOrder {
  const tokens = ['pulse', 'whales', 'flow', 'momentum'].map((name) => `/${name}?token=${BASE_USDC}`)
  const paths = urls.slice(-CHECKED).flatMap((url) => {
    const query = `endpoint=${encodeURIComponent(url)}`
    return [...tokens, `/trust?${query}`, `/trust/history?${query}`]
  })
  return { origin, paths, perSecond: PAID_PER_SECOND, count: Math.round((PAID_PER_SECOND * ms) / 1000) }
}

/** Returns what draws a path of each kind in turns. */
function inTurns(draws: readonly (() => string)[]): () => string {
  let turn = 0
  return () => draws[turn++ % draws.length]?.() ?? '/'
}

const round = (value: number) => Math.round(value * 100) / 100
