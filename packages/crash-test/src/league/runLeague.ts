import { availableParallelism } from 'node:os'
import { formatUsdc, usdToAtomic } from '@touchstone402/shared'
import { type CrashTestOptions, runCrashTest } from '../runCrashTest.ts'
import type { CategoryResult, CrashReport } from '../types.ts'
import { LEAGUE, type LeagueClient } from './clients.ts'

/** Result of one client. */
export type LeagueResult = CrashReport &
  Pick<LeagueClient, 'name' | 'guarded'> & {
    /** Why the client has no result, with the end of its output. Null if it has one. */
    notRun: string | null
  }

/** Result of a league. */
export type LeagueReport = { clients: LeagueResult[]; stockLostUsd: string; guardedLostUsd: string }

/** Options of {@link runLeague}. */
export type LeagueOptions = Pick<CrashTestOptions, 'only' | 'timeoutMs' | 'env' | 'signal'> & {
  /** @default the stock clients and the guard in each integration */
  clients?: readonly LeagueClient[]
  /** Whether the guard gets a local verdict service, in place of a policy from the listing. @default false */
  service?: boolean
  /** Clients that are tested at once. @default two a processor, at most 8 */
  lanes?: number
  /** Receives each category of each client. */
  onCategory?: (client: LeagueClient, result: CategoryResult) => void
  /** Receives the result of each client. */
  onClient?: (result: LeagueResult) => void
}

/**
 * Crash-tests the stock clients, and the guard in each of its integrations.
 * @throws the reason of the signal, if it aborts
 * @example
 * const { stockLostUsd, guardedLostUsd } = await runLeague({ only: ['price_bait'] })
 */
export async function runLeague(options: LeagueOptions = {}): Promise<LeagueReport> {
  const { clients = LEAGUE, service = false, onCategory, onClient, lanes: given, ...rest } = options
  const lanes = given ?? Math.min(8, 2 * availableParallelism())
  const results = new Map<LeagueClient, LeagueResult>()
  // The last ones are the slowest.
  const waiting = clients.toReversed()
  const lane = async () => {
    for (let client = waiting.shift(); client !== undefined; client = waiting.shift()) {
      const { name, guarded, command } = client
      const tested = client
      let output = ''
      const report = await runCrashTest({
        ...rest,
        command,
        service,
        onResult: (result) => onCategory?.(tested, result),
        onOutput: (text) => {
          output = text
        },
      })
      const lines = output.trim().split('\n')
      const said = lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1)
      // A loss is shown whatever ended the test.
      const isKnown = report.problem === null || report.drained > 0
      const notRun = isKnown ? null : `${report.problem}: ${said || 'it printed nothing'}`
      const result = { name, guarded, ...report, notRun }
      results.set(client, result)
      onClient?.(result)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  const ordered = clients.flatMap((client) => results.get(client) ?? [])
  const sum = (isGuarded: boolean) =>
    ordered
      .filter(({ guarded }) => guarded === isGuarded)
      .reduce((total, { lostUsd }) => total + usdToAtomic(lostUsd), 0n)
  return { clients: ordered, stockLostUsd: formatUsdc(sum(false)), guardedLostUsd: formatUsdc(sum(true)) }
}
