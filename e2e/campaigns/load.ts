import { setTimeout as sleep } from 'node:timers/promises'
import { quantile, type Served, sendLoad } from '../support/load/client.ts'
import { openLoaded, verifyPath } from '../support/load/openLoaded.ts'
import { keepToSecondCore, startHello, type Usage } from '../support/load/processes.ts'

const ENDPOINTS = 50_000
/** Of the measured ceiling. */
const SHARE = 0.5
/** The 99th percentile in medians: on a steady machine, and against what the hello holds on one that is not. */
const P99_BAR = { vsP50: 10, vsHello: 2 }
/** What the memory of the second half may be above that of the first, MB. */
const GROWTH_BAR_MB = 100

type Length = { readonly minutes: number; readonly helloMinutes: number; readonly ceilingSeconds: number }
const FULL: Length = { minutes: 10, helloMinutes: 1, ceilingSeconds: 20 }
const SHORT: Length = { minutes: 0.5, helloMinutes: 0.25, ceilingSeconds: 5 }

/**
 * Mixed free traffic at half of what the service can do, for minutes, while it crawls: most calls ask for verdicts, some
 * for pages, lists and feeds. Before and after, an Express hello is asked at half of what that can do: where other
 * machines on the same hardware slow this one down, calls wait whatever serves them, and the hello tells how long.
 */
export async function run({ short }: { short: boolean }) {
  const length = short ? SHORT : FULL
  const isPinned = await keepToSecondCore()
  const before = await askHello(length, isPinned)
  const { served, perSecond, usages } = await askService(length, isPinned)
  const after = await askHello(length, isPinned)
  const { answered, errors, latenciesMs } = served
  const p99VsP50 = spread(latenciesMs)
  const helloP99VsP50 = spread(joined(before.latenciesMs, after.latenciesMs))
  const growthMb = growthOf(usages.map(({ rssMb }) => rssMb))
  const figures = {
    minutes: length.minutes,
    p50Ms: round(quantile(latenciesMs, 0.5)),
    p99Ms: round(quantile(latenciesMs, 0.99)),
    p99VsP50: round(p99VsP50),
    helloP99VsP50: round(helloP99VsP50),
    errors,
    answered,
    perSecond,
    looks: usages.at(-1)?.looks ?? 0,
    growthMb: Math.round(growthMb),
  }
  const p99Bar = Math.max(P99_BAR.vsP50, P99_BAR.vsHello * helloP99VsP50)
  const isSteady = p99VsP50 <= p99Bar && growthMb <= GROWTH_BAR_MB
  return { ok: isSteady && errors === 0 && figures.looks > 0, figures }
}

async function askHello({ helloMinutes, ceilingSeconds }: Length, isPinned: boolean): Promise<Served> {
  const hello = await startHello('express', isPinned)
  try {
    const { served } = await askAtShare(hello.origin, () => '/', ceilingSeconds, helloMinutes)
    return served
  } finally {
    await hello.stop()
  }
}

async function askService({ minutes, ceilingSeconds }: Length, isPinned: boolean) {
  const service = await openLoaded(ENDPOINTS, isPinned)
  try {
    await service.warmUp()
    // All is measured while it crawls.
    await service.beginCrawl()
    const usages: Usage[] = []
    const watching = new AbortController()
    const watch = (async () => {
      for (; !watching.signal.aborted; await sleep(1000)) usages.push(await service.measure())
    })()
    const asked = await askAtShare(service.origin, mixOf(service.urls), ceilingSeconds, minutes)
    watching.abort()
    await watch
    return { ...asked, usages }
  } finally {
    await service.stop()
  }
}

/** Asks a server for a share of what it can do: of what it answers in its slowest second, since it can rely on no more. */
async function askAtShare(origin: string, nextPath: () => string, ceilingSeconds: number, minutes: number) {
  await sendLoad({ origin, nextPath, durationMs: 5000 })
  let ceiling = Number.POSITIVE_INFINITY
  for (let second = 0; second < ceilingSeconds; second++) {
    ceiling = Math.min(ceiling, (await sendLoad({ origin, nextPath, durationMs: 1000 })).answered)
  }
  const perSecond = Math.round(ceiling * SHARE)
  const served = await sendLoad({ origin, nextPath, durationMs: minutes * 60_000, perSecond })
  return { served, perSecond }
}

function mixOf(urls: readonly string[]): () => string {
  const verify = urls.map(verifyPath)
  const profiles = urls.slice(0, 2000).map((url) => `/services/${new URL(url).host}`)
  const popular = verify.slice(0, 2000)
  const others = ['/status.json', '/incidents.json', '/changes.json', '/trust-score.json', '/methodology']
  const any = (list: readonly string[]) => list[Math.floor(Math.random() * list.length)] ?? '/'
  return () => {
    const lot = Math.random()
    if (lot < 0.9) return any(lot < 0.8 ? popular : verify)
    return lot < 0.92 ? any(profiles) : any(others)
  }
}

function joined(first: Float64Array, second: Float64Array): Float64Array {
  const both = new Float64Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both.sort()
}

/** The 99th percentile of ascending values, in medians. */
const spread = (ascending: Float64Array): number => quantile(ascending, 0.99) / quantile(ascending, 0.5)

/** The lowest of the second half above the lowest of the first: what the collector leaves, and not what it finds. */
function growthOf(values: readonly number[]): number {
  const half = Math.floor(values.length / 2)
  return Math.min(...values.slice(half)) - Math.min(...values.slice(0, Math.max(1, half)))
}

const round = (value: number) => Math.round(value * 100) / 100
