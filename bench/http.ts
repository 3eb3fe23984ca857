import { joined, quantile, sendLoad } from '../e2e/support/load/client.ts'
import { openLoaded, verifyPath } from '../e2e/support/load/openLoaded.ts'
import {
  keepToSecondCore,
  type ServerProcess,
  startHello,
  whilePaused,
} from '../e2e/support/load/processes.ts'

const ENDPOINTS = 50_000
/** Of a stable list most agents ask for few: this share of the calls goes to this many endpoints. */
const POPULAR = { share: 0.9, endpoints: 2000 }
/** While times are taken, calls come at this share of what was answered a second on average. */
const SHARE = 0.5
/** For how long each turn goes on before its times count: a server that stood still has work to catch up with. */
const WARM_MS = 2000
const BARS = { vsExpress: 4, vsRaw: 0.6, busyVsIdle: 2 }

type Turns = { readonly count: number; readonly ms: number }
const FULL: Record<'rates' | 'times', Turns> = {
  rates: { count: 10, ms: 3000 },
  times: { count: 12, ms: 8000 },
}
const SHORT: typeof FULL = { rates: { count: 3, ms: 1000 }, times: { count: 2, ms: 3000 } }

/**
 * `/verify` over 50,000 endpoints against an Express 5 `res.json` hello and a raw node:http hello: answers for each
 * second of processor time of the server, which is kept to one core while the load comes from the other, in turns of
 * one run. Then the 99th percentile of its times at half of what it answered there: of a service that crawls and writes
 * against one at rest, in turns as well, since a machine's own pauses come and go within a minute.
 */
export async function run({ short }: { short: boolean }) {
  const length = short ? SHORT : FULL
  const isPinned = await keepToSecondCore()
  const raw = await startHello('raw', isPinned)
  const express = await startHello('express', isPinned)
  const resting = await openLoaded(ENDPOINTS, isPinned)
  const crawling = await openLoaded(ENDPOINTS, isPinned)
  try {
    await resting.warmUp()
    await crawling.warmUp()
    const asked = {
      raw: createAsked(raw, () => '/'),
      express: createAsked(express, () => '/'),
      idle: createAsked(resting, drawFrom(resting.urls)),
      busy: createAsked(crawling, drawFrom(crawling.urls)),
    }
    for (let turn = 0; turn <= length.rates.count; turn++) {
      // The first turn warms all of them up.
      for (const each of [asked.raw, asked.express, asked.idle]) await each.spend(length.rates.ms, turn > 0)
    }
    const rates = { raw: asked.raw.rate(), express: asked.express.rate(), verify: asked.idle.rate() }
    process.stderr.write(`answers a second of processor time: ${JSON.stringify(rates)}\n`)

    const perSecond = Math.round(asked.idle.answeredPerSecond() * SHARE)
    await crawling.beginCrawl()
    for (let turn = 0; turn < length.times.count; turn++) {
      await whilePaused(crawling, () => asked.idle.pace(length.times.ms, perSecond))
      await whilePaused(resting, () => asked.busy.pace(length.times.ms, perSecond))
    }
    const [idleP99, busyP99] = [asked.idle.p99Ms(), asked.busy.p99Ms()]
    const figures = {
      verifyVsExpressHello: round(rates.verify / rates.express),
      verifyVsRawHello: round(rates.verify / rates.raw),
      busyP99VsIdle: round(busyP99 / idleP99),
      verifyPerCpuSecond: rates.verify,
      pacePerSecond: perSecond,
      idleP99Ms: round(idleP99),
      busyP99Ms: round(busyP99),
      looks: asked.busy.looks(),
      errors: asked.idle.errors() + asked.busy.errors(),
    }
    const ok =
      figures.verifyVsExpressHello >= BARS.vsExpress &&
      figures.verifyVsRawHello >= BARS.vsRaw &&
      figures.busyP99VsIdle <= BARS.busyVsIdle &&
      figures.errors === 0 &&
      figures.looks > 0
    return { ok, figures }
  } finally {
    await Promise.all([raw, express, resting, crawling].map((server) => server.stop()))
  }
}

function drawFrom(urls: readonly string[]): () => string {
  const paths = urls.map(verifyPath)
  return () => {
    const among = Math.random() < POPULAR.share ? POPULAR.endpoints : paths.length
    return paths[Math.floor(Math.random() * among)] ?? '/'
  }
}

/** Asks a server, and adds up what came of it. */
function createAsked(server: ServerProcess, nextPath: () => string) {
  const spent = { answered: 0, cpuMs: 0, ms: 0 }
  const times: Float64Array[] = []
  let errors = 0
  let looks = 0
  const send = async (durationMs: number, perSecond?: number) => {
    const before = await server.measure()
    const served = await sendLoad({
      origin: server.origin,
      nextPath,
      durationMs,
      ...(perSecond && { perSecond }),
    })
    const after = await server.measure()
    errors += served.errors
    looks += after.looks - before.looks
    return { ...served, cpuMs: after.cpuMs - before.cpuMs }
  }

  return {
    /** Asks for as much as it can do. */
    async spend(durationMs: number, counts: boolean) {
      const { answered, cpuMs } = await send(durationMs)
      if (!counts) return
      spent.answered += answered
      spent.cpuMs += cpuMs
      spent.ms += durationMs
    },
    /** Asks at a pace, and keeps the times. */
    async pace(durationMs: number, perSecond: number) {
      await send(WARM_MS, perSecond)
      times.push((await send(durationMs, perSecond)).latenciesMs)
    },
    /** Answers for each second of its processor time. */
    rate: () => Math.round(spent.answered / (spent.cpuMs / 1000)),
    answeredPerSecond: () => spent.answered / (spent.ms / 1000),
    p99Ms: () => quantile(joined(times), 0.99),
    looks: () => looks,
    errors: () => errors,
  }
}

const round = (value: number) => Math.round(value * 100) / 100
