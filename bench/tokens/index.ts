import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ratios, round, type Spread, spread } from './measure.ts'
import { measureWarm } from './warm.ts'

const execute = promisify(execFile)
const worker = fileURLToPath(new URL('./worker.ts', import.meta.url))

type Alone = { ms: number; peakRssMb: number }

/** Logs of the million for each one that viem gets, since it is slow. */
const VIEM_SHARE = 10

/** Runs one measurement in a separate process. */
async function alone(kind: string, rows: number): Promise<Alone> {
  const { stdout } = await execute(process.execPath, ['--import', 'tsx', worker, kind, String(rows)], {
    maxBuffer: 1 << 20,
  })
  return JSON.parse(stdout) as Alone
}

const shown = ({ median, low, high }: Spread): [number, number, number] => [
  round(median),
  round(low),
  round(high),
]

/**
 * An answer of `/flow` costs less than parsing the logs that it is made from, and a warm one nearly nothing.
 *
 * Compares the way from provider replies to the answer of `/flow` with JSON.parse on the same bytes,
 * streamed and warm, and with the logs of a viem client. Ratios are of CPU time: medians of seven interleaved turns,
 * with quartiles. That to viem is per log, because viem gets a tenth of them.
 */
export async function run({ short }: { short: boolean }) {
  const rounds = short ? 3 : 7
  const million = short ? 200_000 : 1_000_000
  const parseAll: number[] = []
  const flowAll: number[] = []
  const viemAll: number[] = []
  const rss: number[] = []
  for (let turn = 0; turn < (short ? 1 : rounds); turn++) {
    parseAll.push((await alone('parse', million)).ms)
    const flow = await alone('flow', million)
    flowAll.push(flow.ms)
    rss.push(flow.peakRssMb)
    viemAll.push(VIEM_SHARE * (await alone('viem', million / VIEM_SHARE)).ms)
    log('turn', { parse: parseAll.at(-1), flow, viem: viemAll.at(-1) })
  }
  const warm = await measureWarm(million, rounds)
  log('warm', warm)

  const [millionVsParse, ...millionSpread] = shown(ratios(flowAll, parseAll))
  const [viemVsOurs, ...viemSpread] = shown(ratios(viemAll, flowAll))
  const [warmVsParse, ...warmSpread] = shown(warm.vsParse)
  const millionPeakRssMb = Math.round(spread(rss).median)
  const figures = {
    millionPeakRssMb,
    millionVsParse,
    viemVsOurs,
    warmVsParse,
    warmRpcBelowFinalized: warm.belowFinalized,
    warmRpcTail: warm.tailCalls,
    spread: {
      millionPeakRssMb: [Math.round(Math.min(...rss)), Math.round(Math.max(...rss))],
      millionVsParse: millionSpread,
      viemVsOurs: viemSpread,
      warmVsParse: warmSpread,
    },
  }
  const ok =
    millionPeakRssMb <= 160 &&
    millionVsParse <= 0.33 &&
    viemVsOurs >= 25 &&
    warmVsParse <= 0.015 &&
    warm.belowFinalized === 0 &&
    warm.tailCalls <= 3
  return { ok, figures }
}

const log = (what: string, value: unknown) => process.stderr.write(`${what} ${JSON.stringify(value)}\n`)
