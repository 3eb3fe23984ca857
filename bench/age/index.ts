import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '@touchstone402/server/testing'
import type { RunOptions } from '../../e2e/readOptions.ts'
import {
  ENDPOINTS_PER_HOST,
  observationsOf,
  PATTERNS,
  PROBES_PER_DAY,
  urlOf,
} from '../../e2e/support/history.ts'
import { judgeAtOnce } from '../../e2e/support/judged.ts'
import { quantile, sendLoad } from '../../e2e/support/load/client.ts'
import { multiply } from '../../e2e/support/multiply.ts'
import { type ServerProcess, startServiceProcess } from '../../e2e/support/servers.ts'
import { ALONE } from '../../e2e/support/settings.ts'
import type { Place } from '../../e2e/support/withSql.ts'
import { askVerdict, findWrong } from './checkAnswers.ts'

const PROBER = new URL('../support/reportingProber.ts', import.meta.url).href

/** Options that take a number. Endpoints are a multiple of 200. */
export const numbers = ['endpoints', 'days']

const BARS = { rssMb: 600, diskMb: 3000, openSeconds: 2, probesPerSecond: 25, loopDelayP99Ms: 20 }
/** Verdicts requested per second while the service crawls. */
const VERIFY_PER_SECOND = 100
/** Number of due endpoints below which the service's clock is moved ahead. */
const LEAST_DUE = 1000
const JUMP_MS = 3_600_000
/** One in so many endpoints is compared with a recomputation. */
const SAMPLE = 500

/** Histories of a crawl over months. */
type History = { readonly endpoints: number; readonly days: number }

/**
 * A service of months keeps its start, its memory, its disk and its pace within bounds, and its answers right.
 *
 * Fills a data folder with the probes of a crawl over months, starts the service on it, and measures its start, its
 * memory, its disk and its pace while it serves verdicts and crawls. Then compares its answers with a recomputation.
 */
export async function run({ short, numbers: given }: RunOptions) {
  const history: History = {
    endpoints: given.get('endpoints') ?? (short ? 2_000 : 50_000),
    days: given.get('days') ?? (short ? 30 : 90),
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'touchstone-age-'))
  const place = { databaseUrl: null, dataDir }
  try {
    const startedAt = performance.now()
    await fill(place, history)
    const fillSeconds = Math.round((performance.now() - startedAt) / 1000)
    process.stderr.write(`filled in ${fillSeconds} s\n`)
    const diskMb = await sizeOf(dataDir)
    const { heard, probes, ...served } = await serve(dataDir, history, short ? 20 : 120)
    const wrong = await check(place, history, heard)
    for (const one of wrong.slice(0, 20)) process.stderr.write(`wrong: ${one}\n`)
    const figures = {
      ...history,
      observations: history.endpoints * history.days * PROBES_PER_DAY + probes,
      fillSeconds,
      diskMb: Math.max(diskMb, await sizeOf(dataDir)),
      ...(Object.fromEntries(
        Object.entries(served).map(([name, value]) => [name, Math.round(value * 100) / 100]),
      ) as typeof served),
      answersRight: wrong.length === 0,
    }
    const isWithin =
      figures.rssMb <= BARS.rssMb &&
      figures.diskMb <= BARS.diskMb &&
      figures.openSeconds <= BARS.openSeconds &&
      figures.probesPerSecond >= BARS.probesPerSecond &&
      figures.loopDelayP99Ms < BARS.loopDelayP99Ms
    const hasFailed = figures.failedProbes > 0 || figures.failedVerifies > 0
    return { ok: isWithin && figures.answersRight && !hasFailed, figures }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Stores one endpoint of each pattern with its judgement, and copies them. */
async function fill(place: Place, { endpoints, days }: History): Promise<void> {
  const now = Date.now()
  const store = await openStore(place)
  for (let endpoint = 0; endpoint < PATTERNS; endpoint++) {
    const probes = observationsOf(endpoint, days * PROBES_PER_DAY, now)
    const { state, written } = judgeAtOnce(endpoint, probes)
    await store.write('putEndpoint', state, { ...written, facts: [...written.facts, ...probes] })
  }
  await store.close()
  await multiply(place, PATTERNS / ENDPOINTS_PER_HOST, endpoints / ENDPOINTS_PER_HOST)
}

/** Serves and crawls for some seconds. */
async function serve(directory: string, { endpoints }: History, seconds: number) {
  const settings = { ...ALONE, DATA_DIR: directory }
  const service = await startServiceProcess(settings, { canJump: true, isWatched: true, prober: PROBER })
  const isOpen = () =>
    askVerdict(service.origin, endpoints - 1).then(
      () => true,
      () => false,
    )
  try {
    while (!(await isOpen())) await sleep(10)
    const openSeconds = (Date.now() - service.startedAt) / 1000
    process.stderr.write(`open after ${openSeconds.toFixed(1)} s\n`)
    await service.measure({ jumpMs: JUMP_MS })
    const before = await service.measure({ isStart: true })
    const servingAt = performance.now()
    const ending = new AbortController()
    const moving = keepDue(service, endpoints, ending.signal)
    let asked = 0
    // Spread over all endpoints: 7919 is a prime.
    const nextPath = () => `/verify?endpoint=${encodeURIComponent(urlOf((asked++ * 7919) % endpoints))}`
    const { latenciesMs, errors } = await sendLoad({
      origin: service.origin,
      nextPath,
      perSecond: VERIFY_PER_SECOND,
      durationMs: seconds * 1000,
    })
    ending.abort()
    await moving
    const { probes, failures, peakRssMb, stalls, delayP99Ms } = await service.measure()
    const servedSeconds = (performance.now() - servingAt) / 1000
    const heard = new Map<number, Awaited<ReturnType<typeof askVerdict>>>()
    for (const endpoint of sampleOf(endpoints))
      heard.set(endpoint, await askVerdict(service.origin, endpoint))
    return {
      heard,
      probes,
      rssMb: peakRssMb,
      openSeconds,
      probesPerSecond: (probes - before.probes) / servedSeconds,
      loopDelayP99Ms: stalls.p99Ms,
      loopDelayWallP99Ms: delayP99Ms,
      maxStallMs: stalls.maxMs,
      verifyP99Ms: quantile(latenciesMs, 0.99),
      failedProbes: failures,
      failedVerifies: errors,
    }
  } finally {
    await service.stop()
  }
}

/** Moves the service's clock ahead whenever few endpoints are due. */
async function keepDue(service: ServerProcess, endpoints: number, signal: AbortSignal): Promise<void> {
  const least = Math.min(LEAST_DUE, endpoints / 2)
  for (; !signal.aborted; await sleep(500, undefined, { signal }).catch(() => undefined)) {
    const { due } = await service.measure()
    if (due < least) await service.measure({ jumpMs: JUMP_MS })
  }
}

async function check(
  place: Place,
  { days }: History,
  heard: ReadonlyMap<number, Awaited<ReturnType<typeof askVerdict>>>,
): Promise<string[]> {
  const store = await openStore(place)
  try {
    const wrong: string[] = []
    for (const [endpoint, verdict] of heard) wrong.push(...(await findWrong(store, endpoint, days, verdict)))
    return wrong
  } finally {
    await store.close()
  }
}

/** Every so many endpoints, and those behind, which change no receiver. */
const sampleOf = (endpoints: number): number[] =>
  Array.from({ length: Math.ceil(endpoints / SAMPLE) }, (_, index) => index * SAMPLE).flatMap((endpoint) =>
    [endpoint, endpoint + 1].filter((one) => one < endpoints),
  )

/** Size of a folder in MB, as the disk allots it. */
async function sizeOf(directory: string): Promise<number> {
  const names = await readdir(directory, { recursive: true })
  const blocks = await Promise.all(
    names.map((name) =>
      stat(join(directory, name)).then(
        (file) => file.blocks,
        () => 0,
      ),
    ),
  )
  return Math.round(blocks.reduce((sum, one) => sum + one * 512, 0) / 1e6)
}
