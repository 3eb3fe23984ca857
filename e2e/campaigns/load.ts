import { setTimeout as sleep } from 'node:timers/promises'
import { joined, quantile, sendLoad } from '../support/load/client.ts'
import { openLoaded, verifyPath } from '../support/load/openLoaded.ts'
import { keepToSecondCore, type ServerProcess, startHello, whilePaused } from '../support/servers.ts'

const ENDPOINTS = 50_000
/** Load as a share of the measured ceiling. */
const SHARE = 0.5
/** Maximum ratio of p99 to median: absolute on a steady machine, else relative to the hello server. */
const P99_BAR = { vsP50: 10, vsHello: 2 }
/** Maximum growth of peak memory from the first to the second half, MB. */
const GROWTH_BAR_MB = 100
/** Warm-up before each measurement, as a paused server has a backlog. */
const WARM_SECONDS = { ceiling: 1, turn: 4 }

type Length = { turns: number; serviceSeconds: number; helloSeconds: number; ceilingSeconds: number }
const FULL: Length = { turns: 10, serviceSeconds: 60, helloSeconds: 15, ceilingSeconds: 15 }
const SHORT: Length = { turns: 2, serviceSeconds: 15, helloSeconds: 8, ceilingSeconds: 5 }

/**
 * Under half of its capacity a service that crawls answers evenly, without an error, in memory that does not grow.
 *
 * Sends mixed free traffic at half of the service's capacity for minutes while it crawls: mostly verdicts, some pages,
 * lists and feeds. In alternating turns an Express hello server gets half of its capacity, as a baseline for delays that
 * other load on the hardware causes.
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
    // Everything is measured during a crawl.
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

/** Sends a share of a server's capacity, which is the throughput of its slowest second. */
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
    /** Measures the throughput of one second in a closed loop. */
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

/** Returns the growth of the maximum from the first to the second half, since memory varies between garbage collections. */
function growthOf(values: readonly number[]): number {
  const half = Math.floor(values.length / 2)
  return Math.max(...values.slice(half)) - Math.max(...values.slice(0, half))
}

const round = (value: number) => Math.round(value * 100) / 100
