import { sendLoad } from '../../e2e/support/load/client.ts'
import { openLoaded, verifyPath } from '../../e2e/support/load/openLoaded.ts'
import { startNginx } from '../../e2e/support/proxies/nginx.ts'
import { keepToSecondCore, startHello, startServer, whilePaused } from '../../e2e/support/servers.ts'
import { createAsked } from './asked.ts'

const BARE = new URL('./bare.ts', import.meta.url)
const ENDPOINTS = 50_000
/** Share of the calls that go to a few popular endpoints. */
const POPULAR = { share: 0.9, endpoints: 2000 }
/** Request rate while latencies are taken, as a share of the average throughput. */
const SHARE = 0.5
const BARS = { vsExpress: 5, viaNginx: 2.5, vsRaw: 0.6, busyVsIdle: 2, growthMb: 100 }

type Turns = { readonly count: number; readonly ms: number }
const FULL: Record<'rates' | 'hello' | 'times', Turns> = {
  rates: { count: 6, ms: 3000 },
  hello: { count: 3, ms: 4000 },
  times: { count: 6, ms: 6000 },
}
const SHORT: typeof FULL = {
  rates: { count: 3, ms: 1000 },
  hello: { count: 1, ms: 1000 },
  times: { count: 2, ms: 3000 },
}

/**
 * `/verify` answers at least five times as often as Express's hello, also while the service crawls.
 *
 * `/verify` over 50,000 endpoints against an Express 5 `res.json` hello and a raw node:http hello, asked directly and
 * through nginx, and to a bare listener that sends the same bytes: answers per second of the server's processor time.
 * Each request carries its own `traceparent`. The server has one core, the load comes from the other, in turns of one
 * run. Then p99 latency at half of the throughput: a service that crawls and writes, in memory that does not grow,
 * against one at rest, in turns too, since a machine's own pauses come and go within a minute.
 */
export async function run({ short }: { short: boolean }) {
  const length = short ? SHORT : FULL
  const isPinned = await keepToSecondCore()
  const raw = await startHello('raw', isPinned)
  const express = await startHello('express', isPinned)
  const resting = await openLoaded(ENDPOINTS, isPinned)
  const crawling = await openLoaded(ENDPOINTS, isPinned)
  const bare = await startServer(BARE, { ORIGIN: resting.origin }, { isPinned })
  const nginx = await startNginx([express.origin, resting.origin], isPinned)
  try {
    await resting.warmUp()
    await crawling.warmUp()
    const paths = resting.urls.map(verifyPath)
    const nextPath = () => paths.pop() ?? '/'
    while (paths.length > 0) await sendLoad({ origin: bare.origin, nextPath, durationMs: 1000 })
    const draw = drawFrom(resting.urls)
    const asked = {
      raw: createAsked(raw, () => '/'),
      express: createAsked(express, () => '/'),
      bare: createAsked(bare, draw),
      idle: createAsked(resting, draw),
      expressViaNginx: createAsked(express, () => '/', nginx?.origins[0]),
      idleViaNginx: createAsked(resting, draw, nginx?.origins[1]),
      busy: createAsked(crawling, drawFrom(crawling.urls)),
    }
    const { busy: _busy, ...spending } = asked
    for (let turn = 0; turn <= length.rates.count; turn++) {
      // The first turn warms up.
      for (const each of Object.values(spending)) await each.spend(length.rates.ms, turn > 0)
    }
    const rates = Object.fromEntries(Object.entries(spending).map(([name, each]) => [name, each.rate()]))
    process.stderr.write(`answers per second of processor time: ${JSON.stringify(rates)}\n`)

    const perSecond = Math.round(asked.idle.answeredPerSecond() * SHARE)
    const helloPerSecond = Math.round(asked.express.answeredPerSecond() * SHARE)
    const warm = createAsked(resting, draw)
    const hello = createAsked(express, () => '/')
    for (let turn = 0; turn < length.hello.count; turn++) {
      await warm.pace(length.hello.ms, helloPerSecond)
      await hello.pace(length.hello.ms, helloPerSecond)
    }
    await crawling.beginCrawl()
    for (let turn = 0; turn < length.times.count; turn++) {
      await whilePaused(crawling, () => asked.idle.pace(length.times.ms, perSecond))
      await whilePaused(resting, () => asked.busy.pace(length.times.ms, perSecond))
    }
    const errors = Object.fromEntries(
      Object.entries({ ...asked, warm, hello }).map(([name, each]) => [name, each.errors()]),
    )
    process.stderr.write(`errors: ${JSON.stringify(errors)}\n`)
    const [idleP99, busyP99] = [asked.idle.p99Ms(), asked.busy.p99Ms()]
    const figures = {
      verifyVsExpressHello: round(asked.idle.rate() / asked.express.rate()),
      verifyVsRawHello: round(asked.idle.rate() / asked.raw.rate()),
      bareVsExpressHello: round(asked.bare.rate() / asked.express.rate()),
      viaNginxVsHello:
        nginx === undefined ? null : round(asked.idleViaNginx.rate() / asked.expressViaNginx.rate()),
      busyP99VsIdle: round(busyP99 / idleP99),
      verifyPerCpuSecond: asked.idle.rate(),
      pacePerSecond: perSecond,
      warmP99Ms: round(warm.p99Ms()),
      helloP99Ms: round(hello.p99Ms()),
      idleP99Ms: round(idleP99),
      busyP99Ms: round(busyP99),
      probes: asked.busy.probes(),
      growthMb: Math.round(asked.busy.growthMb()),
      errors: Object.values(errors).reduce((sum, count) => sum + count, 0),
    }
    const ok =
      figures.verifyVsExpressHello >= BARS.vsExpress &&
      (figures.viaNginxVsHello === null || figures.viaNginxVsHello >= BARS.viaNginx) &&
      figures.verifyVsRawHello >= BARS.vsRaw &&
      figures.busyP99VsIdle <= BARS.busyVsIdle &&
      figures.growthMb <= BARS.growthMb &&
      figures.errors === 0 &&
      figures.probes > 0
    process.stderr.write(`bars: ${JSON.stringify(BARS)}\n`)
    return { ok, figures }
  } finally {
    await nginx?.stop()
    await Promise.all([raw, express, resting, crawling, bare].map((server) => server.stop()))
  }
}

/** Returns what draws the next path. */
function drawFrom(urls: readonly string[]): () => string {
  const paths = urls.map(verifyPath)
  return () => {
    const among = Math.random() < POPULAR.share ? POPULAR.endpoints : paths.length
    return paths[Math.floor(Math.random() * among)] ?? '/'
  }
}

const round = (value: number) => Math.round(value * 100) / 100
