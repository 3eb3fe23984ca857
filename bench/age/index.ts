import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEmbeddedStore } from '@touchstone402/server/parts'
import type { RunOptions } from '../../e2e/readOptions.ts'
import { quantile, sendLoad } from '../../e2e/support/load/client.ts'
import { type ServerProcess, startServiceProcess } from '../../e2e/support/servers.ts'
import { ALONE } from '../../e2e/support/settings.ts'
import { LOOKS_PER_DAY, urlOf } from '../support/history.ts'
import { askVerdict, findWrong } from './checkAnswers.ts'
import { fillFolder, type History } from './fill.ts'

const PROBER = new URL('../support/instantProber.ts', import.meta.url).href

/** Options that take a number. */
export const numbers = ['endpoints', 'days']

const BARS = {
  rssMb: 600,
  diskMb: 2500,
  openSeconds: 5,
  looksPerSecond: 400,
  maxStallMs: 50,
  rowsReadPerLook: 64,
}
/** Verdicts requested per second while the service crawls. */
const VERIFY_PER_SECOND = 100
/** Number of due endpoints below which the service's clock is moved ahead. */
const LEAST_DUE = 5000
const JUMP_MS = 3_600_000
/** One in so many endpoints is compared with a recomputation. */
const SAMPLE = 500

/**
 * A service of months keeps its start, its memory, its disk and its pace within bounds, and its answers right.
 *
 * Fills a data folder with the looks of a crawl over months, starts the service on it, and measures its start, its
 * memory, its disk and its pace while it serves verdicts and crawls. Then compares its answers with a recomputation.
 */
export async function run({ short, numbers: given }: RunOptions) {
  const history: History = {
    endpoints: given.get('endpoints') ?? (short ? 2_000 : 50_000),
    days: given.get('days') ?? (short ? 30 : 90),
    now: Date.now(),
  }
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-age-'))
  try {
    const startedAt = performance.now()
    await fillFolder(directory, history)
    process.stderr.write(`filled in ${Math.round((performance.now() - startedAt) / 1000)} s\n`)
    const diskMb = await sizeOf(directory)
    const served = await serve(directory, history, short ? 30 : 300)
    const wrong = await check(directory, history, served.heard)
    for (const one of wrong.slice(0, 20)) process.stderr.write(`wrong: ${one}\n`)
    const figures = {
      ...{ endpoints: history.endpoints, days: history.days },
      observations: history.endpoints * history.days * LOOKS_PER_DAY + served.looks,
      rssMb: Math.round(served.rssMb),
      diskMb: Math.max(diskMb, await sizeOf(directory)),
      openSeconds: round(served.openSeconds),
      looksPerSecond: Math.round(served.looksPerSecond),
      maxStallMs: round(served.maxStallMs),
      maxWallStallMs: round(served.maxWallStallMs),
      rowsReadPerLook: round(served.rowsReadPerLook),
      verifyP99Ms: round(served.verifyP99Ms),
      failedLooks: served.failures,
      failedVerifies: served.errors,
      answersRight: wrong.length === 0,
    }
    const isWithin =
      figures.rssMb <= BARS.rssMb &&
      figures.diskMb <= BARS.diskMb &&
      figures.openSeconds <= BARS.openSeconds &&
      figures.looksPerSecond >= BARS.looksPerSecond &&
      figures.maxStallMs <= BARS.maxStallMs &&
      figures.rowsReadPerLook <= BARS.rowsReadPerLook
    const hasFailed = figures.failedLooks > 0 || figures.failedVerifies > 0
    return { ok: isWithin && figures.answersRight && !hasFailed, figures }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Serves and crawls for some seconds. */
async function serve(directory: string, { endpoints }: History, seconds: number) {
  const startedAt = performance.now()
  const settings = { ...ALONE, METRICS_PORT: '0', DATA_DIR: directory }
  const service = await startServiceProcess(settings, { canJump: true, isWatched: true, prober: PROBER })
  const isOpen = () =>
    askVerdict(service.origin, endpoints - 1).then(
      () => true,
      () => false,
    )
  try {
    while (!(await isOpen())) await sleep(10)
    const openSeconds = (performance.now() - startedAt) / 1000
    process.stderr.write(`open after ${openSeconds.toFixed(1)} s\n`)
    await service.measure({ jumpMs: JUMP_MS })
    const rowsBefore = await countRowsRead(service)
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
    const { looks, failures, peakRssMb: rssMb, stalls } = await service.measure()
    const looked = looks - before.looks
    const rowsRead = (await countRowsRead(service)) - rowsBefore
    const heard = new Map<number, Awaited<ReturnType<typeof askVerdict>>>()
    for (const endpoint of sampleOf(endpoints))
      heard.set(endpoint, await askVerdict(service.origin, endpoint))
    return {
      heard,
      looks,
      failures,
      errors,
      rssMb,
      openSeconds,
      looksPerSecond: looked / ((performance.now() - servingAt) / 1000),
      maxStallMs: stalls.maxMs,
      maxWallStallMs: stalls.maxWallMs,
      rowsReadPerLook: rowsRead / looked,
      verifyP99Ms: quantile(latenciesMs, 0.99),
    }
  } finally {
    await service.stop()
  }
}

/** Returns how many rows the store of a service read since its start. */
async function countRowsRead({ metricsUrl }: ServerProcess): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  const [, rows] = /^touchstone_store_rows_read_total (\S+)$/m.exec(text) ?? []
  return Number(rows)
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
  directory: string,
  history: History,
  heard: ReadonlyMap<number, Awaited<ReturnType<typeof askVerdict>>>,
): Promise<string[]> {
  const store = await createEmbeddedStore({ directory })
  try {
    const wrong: string[] = []
    for (const endpoint of sampleOf(history.endpoints))
      wrong.push(...(await findWrong(store, endpoint, history, heard.get(endpoint))))
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

const round = (value: number) => Math.round(value * 100) / 100
