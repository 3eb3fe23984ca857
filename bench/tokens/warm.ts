import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createTokenAnswers, createTokenWarmer, createTransferSource } from '@touchstone402/transfers'
import { openFixture, TOKEN } from './fixture.ts'
import { cpuOf, cpuTime, ratios, type Spread, spread } from './measure.ts'

type Counts = {
  counts: Record<string, number>
  ranges: { from: number; to: number }[]
  finalized: number
}

/** Cached `/flow` of a day, compared with parsing its logs. */
export type Warm = {
  /** Wall-clock time of a query, RPC included. */
  readonly flowMs: Spread
  /** CPU time of a query over that of parsing. */
  readonly vsParse: Spread
  /** Log requests for finalized blocks. */
  readonly belowFinalized: number
  /** Maximum number of RPC calls per query: the head, the logs since the last query, and those of the newest block by its hash. */
  readonly tailCalls: number
}

/** Blocks of the fixture: a day, the tail, and room for the head to advance. */
export const WARM_BLOCKS = 43_200 + 1_400

async function startProvider(rows: number): Promise<{ child: ChildProcess; url: string }> {
  const path = fileURLToPath(new URL('./provider.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', path, String(rows), String(WARM_BLOCKS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.stdout === null) throw new Error('the provider has no output')
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, url: `http://127.0.0.1:${line.toString().trim()}` }
}

/** Queries `/flow` of a day repeatedly, with an advancing head and a refresh between the queries. */
export async function measureWarm(rows: number, rounds: number): Promise<Warm> {
  const { child, url } = await startProvider(rows)
  const source = createTransferSource({ chainId: 8453, urls: [url, url], now: Date.now })
  const answers = createTokenAnswers({ source, now: Date.now, checksum: (address) => address })
  const warmer = createTokenWarmer({ source, tokens: [TOKEN], windowSeconds: 86_400 })
  const takeCounts = async (): Promise<Counts> =>
    (await fetch(`${url}/counts?advance`)).json() as Promise<Counts>
  const times: number[] = []
  const costs: number[] = []
  const parses: number[] = []
  // A tenth of the logs, because all of them exceed the maximum length of a string.
  const fixture = openFixture(rows, WARM_BLOCKS)
  const tenth = fixture.reply(fixture.firstBlock, fixture.blockAfter(rows / 10))
  let belowFinalized = 0
  let tailCalls = 0
  try {
    // Rounds below 0 are a warm-up.
    for (let round = -3; round < rounds; round++) {
      await warmer.refresh()
      // Advances the head and resets the counts.
      await takeCounts()
      const start = performance.now()
      const cpu = cpuTime()
      const flow = await answers.flow({ token: TOKEN, window: '24h' })
      const cpuMs = cpuTime() - cpu
      const ms = performance.now() - start
      if (!flow.window.complete || !flow.sumToZero.ok) throw new Error('the answer is incomplete')
      if (round < 0) continue
      times.push(ms)
      costs.push(cpuMs)
      const { counts, ranges, finalized } = await takeCounts()
      belowFinalized += ranges.filter(({ to }) => to <= finalized).length
      const calls = Object.values(counts).reduce((sum, count) => sum + count, 0)
      tailCalls = Math.max(tailCalls, calls)
      parses.push(10 * cpuOf(() => JSON.parse(tenth.toString('utf8'))))
    }
  } finally {
    child.kill()
    await source.close()
  }
  return { flowMs: spread(times), vsParse: ratios(costs, parses), belowFinalized, tailCalls }
}
