import { setTimeout as sleep } from 'node:timers/promises'
import { joined, quantile, sendLoad } from '../support/load/client.ts'
import { openLoaded, verifyPath } from '../support/load/openLoaded.ts'
import { keepToSecondCore, type ServerProcess, startHello, whilePaused } from '../support/load/processes.ts'

const ENDPOINTS = 50_000
/** Of the measured ceiling. */
const SHARE = 0.5
/** The 99th percentile in medians: on a steady machine, and against what the hello holds on one that is not. */
const P99_BAR = { vsP50: 10, vsHello: 2 }
/** What the highest memory of the second half may be above that of the first, MB. */
const GROWTH_BAR_MB = 100
/** For how long before each second of the ceiling, and before each turn: a server that stood still has work to catch up with. */
const WARM_SECONDS = { ceiling: 1, turn: 4 }

type Length = { turns: number; serviceSeconds: number; helloSeconds: number; ceilingSeconds: number }
const FULL: Length = { turns: 10, serviceSeconds: 60, helloSeconds: 15, ceilingSeconds: 15 }
const SHORT: Length = { turns: 2, serviceSeconds: 15, helloSeconds: 8, ceilingSeconds: 5 }

/**
 * Mixed free traffic at half of what the service can do, for minutes, while it crawls: most calls ask for verdicts, some
 * for pages, lists and feeds. In turns with it an Express hello is asked at half of what that can do: where other
 * machines on the same hardware slow this one down, calls wait whatever serves them, and the hello tells how long.
 */
export async function run({ short }: { short: boolean }) {
  const { turns, serviceSeconds, helloSeconds, ceilingSeconds } = short ? SHORT : FULL
  const isPinned = await keepToSecondCore()
  const loaded = await openLoaded(ENDPOINTS, isPinned)
  const greeter = await startHello('express', isPinned)
  const service = createAsked(loaded, mixOf(loaded.urls))
  const hello = createAsked(greeter, () => '/')
  try {
    await loaded.warmUp()
    // All is measured while it crawls.
    await loaded.beginCrawl()
    for (let second = 0; second < ceilingSeconds; second++) {
      await whilePaused(greeter, () => service.findCeiling())
      await whilePaused(loaded, () => hello.findCeiling())
    }
    for (let turn = 0; turn < turns; turn++) {
      await whilePaused(greeter, () => service.ask(serviceSeconds))
      await whilePaused(loaded, () => hello.ask(helloSeconds))
    }
    const [ofService, ofHello] = [service.result(), hello.result()]
    const { looks } = await whilePaused(greeter, () => loaded.measure())
    const figures = {
      minutes: (turns * serviceSeconds) / 60,
      p50Ms: round(ofService.p50Ms),
      p99Ms: round(ofService.p99Ms),
      p99VsP50: round(ofService.p99Ms / ofService.p50Ms),
      helloP99VsP50: round(ofHello.p99Ms / ofHello.p50Ms),
      errors: ofService.errors,
      answered: ofService.answered,
      perSecond: ofService.perSecond,
      looks,
      peakRssMb: Math.round(Math.max(...ofService.rssMb)),
      growthMb: Math.round(growthOf(ofService.rssMb)),
    }
    const p99Bar = Math.max(P99_BAR.vsP50, P99_BAR.vsHello * figures.helloP99VsP50)
    const isSteady = figures.p99VsP50 <= p99Bar && figures.growthMb <= GROWTH_BAR_MB
    return { ok: isSteady && figures.errors === 0 && looks > 0, figures }
  } finally {
    await Promise.all([loaded.stop(), greeter.stop()])
  }
}

/** Asks a server for a share of what it can do: of what it answers in its slowest second, since it can rely on no more. */
function createAsked(server: ServerProcess, nextPath: () => string) {
  const { origin } = server
  let ceiling = Number.POSITIVE_INFINITY
  let errors = 0
  const latencies: Float64Array[] = []
  const rssMb: number[] = []
  const perSecond = () => Math.round(ceiling * SHARE)
  const send = async (seconds: number, rate?: number) => {
    const durationMs = seconds * 1000
    const served = await sendLoad({ origin, nextPath, durationMs, ...(rate && { perSecond: rate }) })
    errors += served.errors
    return served
  }

  return {
    /** Asks as much as it answers, for one second. */
    async findCeiling() {
      await send(WARM_SECONDS.ceiling)
      ceiling = Math.min(ceiling, (await send(1)).answered)
    },
    async ask(seconds: number) {
      await send(WARM_SECONDS.turn, perSecond())
      const ending = new AbortController()
      const watching = (async () => {
        for (; !ending.signal.aborted; await sleep(1000)) rssMb.push((await server.measure()).rssMb)
      })()
      const { latenciesMs } = await send(seconds, perSecond())
      ending.abort()
      await watching
      latencies.push(latenciesMs)
    },
    result() {
      const all = joined(latencies)
      const [p50Ms, p99Ms] = [quantile(all, 0.5), quantile(all, 0.99)]
      return { p50Ms, p99Ms, errors, answered: all.length, perSecond: perSecond(), rssMb }
    },
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

/** The highest of the second half above that of the first: memory comes and goes between two collections of the heap. */
function growthOf(values: readonly number[]): number {
  const half = Math.floor(values.length / 2)
  return Math.max(...values.slice(half)) - Math.max(...values.slice(0, half))
}

const round = (value: number) => Math.round(value * 100) / 100
