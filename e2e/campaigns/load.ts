import { setTimeout as sleep } from 'node:timers/promises'
import { quantile, sendLoad } from '../support/load/client.ts'
import { openLoaded, verifyPath } from '../support/load/openLoaded.ts'
import { keepToSecondCore, type Usage } from '../support/load/processes.ts'

const ENDPOINTS = 50_000
/** Of the measured ceiling. */
const SHARE = 0.5
const P99_BAR = 10
/** What the memory of the second half may be above that of the first, MB. */
const GROWTH_BAR_MB = 100

/**
 * Mixed free traffic at half of what the service can do, for minutes, while it crawls: most calls ask for verdicts, some
 * for pages, lists and feeds.
 */
export async function run({ short }: { short: boolean }) {
  const minutes = short ? 0.5 : 10
  const isPinned = await keepToSecondCore()
  const service = await openLoaded(ENDPOINTS, isPinned)
  try {
    const nextPath = mixOf(service.urls)
    const load = (durationMs: number, perSecond?: number) =>
      sendLoad({
        origin: service.origin,
        nextPath,
        durationMs,
        ...(perSecond !== undefined && { perSecond }),
      })
    await service.warmUp()
    // All is measured while it crawls.
    await service.beginCrawl()
    await load(5000)
    const measuredMs = short ? 5000 : 20_000
    const ceiling = (await load(measuredMs)).answered / (measuredMs / 1000)
    const usages: Usage[] = []
    const watching = new AbortController()
    const watch = (async () => {
      for (; !watching.signal.aborted; await sleep(1000)) usages.push(await service.measure())
    })()
    const { answered, errors, latenciesMs } = await load(minutes * 60_000, Math.round(ceiling * SHARE))
    watching.abort()
    await watch
    const [p50Ms, p99Ms] = [quantile(latenciesMs, 0.5), quantile(latenciesMs, 0.99)]
    const growthMb = growthOf(usages.map(({ rssMb }) => rssMb))
    const figures = {
      minutes,
      p50Ms: round(p50Ms),
      p99Ms: round(p99Ms),
      errors,
      answered,
      perSecond: Math.round(ceiling * SHARE),
      looks: usages.at(-1)?.looks ?? 0,
      growthMb: Math.round(growthMb),
    }
    const isSteady = p99Ms <= P99_BAR * p50Ms && growthMb <= GROWTH_BAR_MB
    return { ok: isSteady && errors === 0 && figures.looks > 0, figures }
  } finally {
    await service.stop()
  }
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

/** The lowest of the second half above the lowest of the first: what the collector leaves, and not what it finds. */
function growthOf(values: readonly number[]): number {
  const half = Math.floor(values.length / 2)
  return Math.min(...values.slice(half)) - Math.min(...values.slice(0, Math.max(1, half)))
}

const round = (value: number) => Math.round(value * 100) / 100
