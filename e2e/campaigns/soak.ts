import { setTimeout as sleep } from 'node:timers/promises'
import type { RunOptions } from '../readOptions.ts'
import { joined, quantile, type Served, sendLoad } from '../support/load/client.ts'
import { openLoaded, verifyPath } from '../support/load/openLoaded.ts'
import { keepToSecondCore, startHello, whilePaused } from '../support/servers.ts'

const ENDPOINTS = 10_000
const PER_SECOND = 200
/** Load between two measurements of memory. */
const TURN_MS = 30_000
const HELLO_MS = 5_000
const SIX_HOURS = 6 * 3_600_000
/** Number of due endpoints below which the service's clock is moved ahead. */
const LEAST_DUE = 500
const BARS = { errors: 0, growthMb: 50 }

/**
 * Ten minutes of load on a service that crawls: no error, no growth of memory.
 *
 * A service of 10,000 endpoints answers 200 `/verify` a second while it probes those that are due, and an Express hello is
 * asked at the same pace in turns. Growth is that of the memory of its own, from the median of the third, fourth and
 * fifth turn to that of the last three: the first ones fill its caches.
 */
export async function run({ short }: RunOptions) {
  const turns = short ? 8 : 20
  const turnMs = short ? 3000 : TURN_MS
  const isPinned = await keepToSecondCore()
  const hello = await startHello('express', isPinned)
  const service = await openLoaded(ENDPOINTS, isPinned, { isWatched: true })
  const paths = service.urls.map(verifyPath)
  const nextPath = () => paths[Math.floor(Math.random() * paths.length)] ?? '/'
  const [served, greeted]: [Served[], Served[]] = [[], []]
  const ownMb: number[] = []
  try {
    await service.warmUp()
    await service.beginCrawl()
    for (let turn = 0; turn < turns; turn++) {
      const { due } = await service.measure()
      if (due < LEAST_DUE) await service.measure({ jumpMs: SIX_HOURS })
      served.push(
        await sendLoad({ origin: service.origin, nextPath, perSecond: PER_SECOND, durationMs: turnMs }),
      )
      ownMb.push((await service.measure()).ownBytes / 2 ** 20)
      const helloMs = Math.min(HELLO_MS, turnMs)
      const greet = { origin: hello.origin, nextPath: () => '/', perSecond: PER_SECOND, durationMs: helloMs }
      greeted.push(await whilePaused(service, () => sendLoad(greet)))
      await sleep(100)
    }
    process.stderr.write(`own by turn: ${ownMb.map(Math.round)}\n`)
    const { probes, failures } = await service.measure()
    const p99Ms = (parts: readonly Served[]) =>
      round(quantile(joined(parts.map(({ latenciesMs }) => latenciesMs)), 0.99))
    const figures = {
      seconds: (turns * turnMs) / 1000,
      answered: served.reduce((sum, { answered }) => sum + answered, 0),
      errors: served.reduce((sum, { errors }) => sum + errors, 0) + failures,
      probes,
      growthMb: round(median(ownMb.slice(-3)) - median(ownMb.slice(2, 5))),
      ownMb: round(median(ownMb.slice(-3))),
      p99Ms: p99Ms(served),
      helloP99Ms: p99Ms(greeted),
    }
    const ok = figures.errors <= BARS.errors && figures.growthMb <= BARS.growthMb && probes > 0
    return { ok, figures }
  } finally {
    await Promise.all([service.stop(), hello.stop()])
  }
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const round = (value: number) => Math.round(value * 10) / 10
