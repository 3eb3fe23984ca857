import { quantile, sendLoad } from '../e2e/support/load/client.ts'
import { openLoaded, verifyPath } from '../e2e/support/load/openLoaded.ts'
import { keepToSecondCore, type ServerProcess, startHello } from '../e2e/support/load/processes.ts'

const ENDPOINTS = 50_000
/** Of a stable list most agents ask for few: this share of the calls goes to this many endpoints. */
const POPULAR = { share: 0.9, endpoints: 2000 }
/** While times are taken, calls come at this share of what was answered a second on average. */
const SHARE = 0.5
/** Long enough for the collector to go through the whole heap, at rest as in the crawl. */
const PACE_MS = 60_000
const BARS = { vsExpress: 4, vsRaw: 0.6, busyVsIdle: 2 }

/**
 * `/verify` over 50,000 endpoints against an Express 5 `res.json` hello and a raw node:http hello: answers for each
 * second of processor time of the server, which is kept to one core while the load comes from the other, in turns of
 * one run. Then the 99th percentile of its times at half of what it answered there, while it crawls and writes against at rest.
 */
export async function run({ short }: { short: boolean }) {
  const isPinned = await keepToSecondCore()
  const raw = await startHello('raw', isPinned)
  const express = await startHello('express', isPinned)
  const service = await openLoaded(ENDPOINTS, isPinned)
  try {
    const hello = () => '/'
    const verify = drawFrom(service.urls)
    const turns = short ? 3 : 10
    const turnMs = short ? 1000 : 3000
    const sums = { raw: nothing(), express: nothing(), verify: nothing() }
    await service.warmUp()
    for (let turn = 0; turn <= turns; turn++) {
      const results = {
        raw: await spend(raw, hello, turnMs),
        express: await spend(express, hello, turnMs),
        verify: await spend(service, verify, turnMs),
      }
      // The first turn warms all of them up.
      if (turn === 0) continue
      for (const name of ['raw', 'express', 'verify'] as const) {
        sums[name].answered += results[name].answered
        sums[name].cpuMs += results[name].cpuMs
        sums[name].errors += results[name].errors
      }
    }
    const rates = { raw: rate(sums.raw), express: rate(sums.express), verify: rate(sums.verify) }
    process.stderr.write(`answers a second of processor time: ${JSON.stringify(rates)}\n`)

    const paceMs = short ? 5000 : PACE_MS
    const perSecond = Math.round((sums.verify.answered / (turns * turnMs)) * 1000 * SHARE)
    const pace = () =>
      sendLoad({
        origin: service.origin,
        nextPath: verify,
        durationMs: paceMs,
        perSecond,
      })
    const idle = await pace()
    await service.beginCrawl()
    const before = await service.measure()
    const busy = await pace()
    const looks = (await service.measure()).looks - before.looks
    const [idleP99, busyP99] = [quantile(idle.latenciesMs, 0.99), quantile(busy.latenciesMs, 0.99)]
    const figures = {
      verifyVsExpressHello: round(rates.verify / rates.express),
      verifyVsRawHello: round(rates.verify / rates.raw),
      busyP99VsIdle: round(busyP99 / idleP99),
      verifyPerCpuSecond: rates.verify,
      pacePerSecond: perSecond,
      idleP99Ms: round(idleP99),
      busyP99Ms: round(busyP99),
      looksPerSecond: Math.round(looks / (paceMs / 1000)),
      errors: sums.verify.errors + idle.errors + busy.errors,
    }
    const ok =
      figures.verifyVsExpressHello >= BARS.vsExpress &&
      figures.verifyVsRawHello >= BARS.vsRaw &&
      figures.busyP99VsIdle <= BARS.busyVsIdle &&
      figures.errors === 0 &&
      looks > 0
    return { ok, figures }
  } finally {
    await Promise.all([raw.stop(), express.stop(), service.stop()])
  }
}

function drawFrom(urls: readonly string[]): () => string {
  const paths = urls.map(verifyPath)
  return () => {
    const among = Math.random() < POPULAR.share ? POPULAR.endpoints : paths.length
    return paths[Math.floor(Math.random() * among)] ?? '/'
  }
}

const nothing = () => ({ answered: 0, cpuMs: 0, errors: 0 })

async function spend(server: ServerProcess, nextPath: () => string, durationMs: number) {
  const before = await server.measure()
  const { answered, errors } = await sendLoad({
    origin: server.origin,
    nextPath,
    durationMs,
  })
  const { cpuMs } = await server.measure()
  return { answered, errors, cpuMs: cpuMs - before.cpuMs }
}

const rate = ({ answered, cpuMs }: { answered: number; cpuMs: number }) =>
  Math.round(answered / (cpuMs / 1000))

const round = (value: number) => Math.round(value * 100) / 100
