import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatUsdc } from '@touchstone402/shared'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { ATTACKS, CONTROLS } from './attacks/index.ts'
import { makeEnvironment } from './command/environment.ts'
import { type Ended, runCommand } from './command/runCommand.ts'
import { type Judged, judge } from './payments/judge.ts'
import { openStage } from './sellers/openStage.ts'
import type { Seller } from './sellers/types.ts'
import type { Category, CategoryResult, CrashReport, Problem } from './types.ts'
import { startVerdicts } from './verdicts/startVerdicts.ts'

/** Options of {@link runCrashTest}. */
export type CrashTestOptions = {
  /** Program and arguments. It is started at least once for each category. */
  command: readonly string[]
  /** @default every category */
  only?: readonly Category[]
  /** Milliseconds after which a run of the command is ended. @default 30000 */
  timeoutMs?: number
  /** Names of environment variables that the command keeps, besides those that programs need to start. @default none */
  keep?: readonly string[]
  /** Environment of the caller. @default process.env */
  env?: Readonly<Record<string, string | undefined>>
  /** Ends the command and the crash test. */
  signal?: AbortSignal
  /** Receives each result as soon as it is known. */
  onResult?: (result: CategoryResult) => void
  /** Receives the end of the command's output if the crash test has no result. */
  onOutput?: (output: string) => void
}

const SETTLE_MS = 50

/**
 * Sends a command to honest and to hostile x402 sellers on this machine, and counts the signatures that a thief could
 * have used. The command gets a fresh key; signatures are verified as they come in and not kept.
 * @throws the reason of the signal, if it aborts
 * @example
 * const { drained, controlsPaid } = await runCrashTest({ command: ['node', 'agent.mjs'], only: ['price_bait'] })
 */
export async function runCrashTest(options: CrashTestOptions): Promise<CrashReport> {
  const { only, onResult = () => {}, onOutput = () => {}, signal: outer } = options
  const verdicts = await startVerdicts()
  const report: CrashReport = {
    controls: CONTROLS.length,
    controlsPaid: 0,
    drained: 0,
    problem: null,
    categories: [],
  }
  const play = createPlayer(options, verdicts)
  const fail = (problem: Problem, { output }: Played): CrashReport => {
    onOutput(output)
    return { ...report, problem }
  }
  try {
    for (const control of CONTROLS) {
      const played = await play(control)
      outer?.throwIfAborted()
      if (played.problem !== null) return fail(played.problem, played)
      const isPaid = played.stolen === 0 && played.signatures === control.due
      if (!isPaid) return fail('control_unpaid', played)
      report.controlsPaid += 1
    }
    for (const attack of ATTACKS) {
      const { category } = attack
      if (only !== undefined && !only.includes(category)) continue
      const played = await play(attack)
      outer?.throwIfAborted()
      if (played.problem !== null) return fail(played.problem, played)
      const result = toResult(category, played)
      report.categories.push(result)
      if (result.result === 'drained') report.drained += 1
      onResult(result)
    }
  } finally {
    await verdicts.stop()
  }
  const isMissing = report.categories.some(({ result }) => result === 'not_reached')
  return isMissing ? { ...report, problem: 'not_reached' } : report
}

/** What came of all runs against one seller. */
type Played = Judged & {
  requests: number
  timeouts: number
  output: string
  problem: 'foreign_key' | 'not_started' | null
}

/** Creates a function that runs the command against one seller. Each seller meets a fresh key and an empty home. */
function createPlayer(options: CrashTestOptions, verdicts: Awaited<ReturnType<typeof startVerdicts>>) {
  const { command, timeoutMs = 30_000, keep = [], env = process.env, signal: outer } = options
  return async (seller: Seller): Promise<Played> => {
    const { runs = 1, due = 1, budgetUsd = '1.00' } = seller
    const privateKey = generatePrivateKey()
    const foreign = new AbortController()
    const signal = outer === undefined ? foreign.signal : AbortSignal.any([foreign.signal, outer])
    const stage = await openStage(seller, {
      payer: privateKeyToAddress(privateKey),
      onForeignKey: () => foreign.abort(),
      now: Date.now,
    })
    const home = await mkdtemp(join(tmpdir(), 'crash-test-'))
    verdicts.measured = stage.listing
    const settings = { stage, privateKey, budgetUsd, touchstoneUrl: verdicts.url, home, keep }
    const ends: Ended[] = []
    try {
      for (stage.run = 0; stage.run < runs && !signal.aborted; stage.run++) {
        ends.push(await runCommand(command, { env: makeEnvironment(settings, env), timeoutMs, signal }))
        if (ends.at(-1)?.how === 'not_started') break
      }
      // What was sent just before the command ended is read first.
      await sleep(SETTLE_MS)
    } finally {
      await stage.stop()
      await rm(home, { recursive: true, force: true })
    }
    const isNotStarted = ends.some(({ how }) => how === 'not_started')
    return {
      ...judge(stage.payments, { terms: stage.listing.url === stage.url ? stage.listing.terms : null, due }),
      requests: stage.requests,
      timeouts: ends.filter(({ how }) => how === 'timeout').length,
      output: ends.at(-1)?.output ?? '',
      problem: foreign.signal.aborted ? 'foreign_key' : isNotStarted ? 'not_started' : null,
    }
  }
}

function toResult(category: Category, played: Played): CategoryResult {
  const { requests, signatures, stolen, stolenUsdc, timeouts } = played
  const result = stolen > 0 ? 'drained' : requests > 0 ? 'held' : 'not_reached'
  const stolenUsd = formatUsdc(stolenUsdc)
  return { category, result, requests, signatures, stolen, stolenUsd, timeouts }
}
