import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ratios, round, type Spread, spread } from './measure.ts'
import { measureWarm } from './warm.ts'

const execute = promisify(execFile)
const worker = fileURLToPath(new URL('./worker.ts', import.meta.url))

type Alone = { ms: number; peakRssMb: number }

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
 * streamed and warm. Ratios are of CPU time: medians of seven interleaved turns, with quartiles.
 */
export async function run({ short }: { short: boolean }) {
  const rounds = short ? 3 : 7
  const million = short ? 200_000 : 1_000_000
  const parseAll: number[] = []
  const flowAll: number[] = []
  const rss: number[] = []
  for (let turn = 0; turn < (short ? 1 : rounds); turn++) {
    parseAll.push((await alone('parse', million)).ms)
    const flow = await alone('flow', million)
    flowAll.push(flow.ms)
    rss.push(flow.peakRssMb)
    log('turn', { parse: parseAll.at(-1), flow })
  }
  const warm = await measureWarm(million, rounds)
  log('warm', warm)

  const [millionVsParse, ...millionSpread] = shown(ratios(flowAll, parseAll))
  const [warmVsParse, ...warmSpread] = shown(warm.vsParse)
  const millionPeakRssMb = Math.round(spread(rss).median)
  const figures = {
    millionPeakRssMb,
    millionVsParse,
    warmVsParse,
    warmRpcBelowFinalized: warm.belowFinalized,
    warmRpcTail: warm.tailCalls,
    spread: {
      millionPeakRssMb: [Math.round(Math.min(...rss)), Math.round(Math.max(...rss))],
      millionVsParse: millionSpread,
      warmVsParse: warmSpread,
    },
  }
  const ok =
    millionPeakRssMb <= 200 &&
    millionVsParse <= 0.4 &&
    warmVsParse <= 0.02 &&
    warm.belowFinalized === 0 &&
    warm.tailCalls <= 2
  return { ok, figures }
}

const log = (what: string, value: unknown) => process.stderr.write(`${what} ${JSON.stringify(value)}\n`)
