import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatUsdc, usdToAtomic } from '@touchstone402/shared'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { ATTACKS, CONTROLS } from './attacks/index.ts'
import { makeEnvironment } from './command/environment.ts'
import { type Ended, runCommand } from './command/runCommand.ts'
import { type Judged, judge } from './payments/judge.ts'
import { openStage } from './sellers/openStage.ts'
import { startTempo } from './sellers/startTempo.ts'
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
  /** Whether the command gets a local verdict service in `TOUCHSTONE_URL`. @default true */
  service?: boolean
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
/** Lowest exit code by which shells name a command that cannot be run, or the signal that ended it. */
const SHELL_FAULT = 126

/**
 * Sends a command to honest and to hostile x402 sellers on this machine, and counts the signatures that a thief could
 * have used. The command gets a fresh key; signatures are verified as they come in and not kept.
 * @throws the reason of the signal, if it aborts
 * @example
 * const { drained, controlsPaid } = await runCrashTest({ command: ['node', 'agent.mjs'], only: ['price_bait'] })
 */
export async function runCrashTest(options: CrashTestOptions): Promise<CrashReport> {
  const { only, onResult = () => {}, onOutput = () => {}, signal: outer } = options
  const [verdicts, tempo] = await Promise.all([startVerdicts(), startTempo()])
  const report: CrashReport = {
    controls: CONTROLS.length,
    controlsPaid: 0,
    drained: 0,
    lostUsd: '0',
    problem: null,
    categories: [],
  }
  const play = createPlayer(options, verdicts, tempo.url)
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
      if (!isPaid)
        return fail(`control_${played.crashed ? 'crashed' : played.hung ? 'hung' : 'unpaid'}`, played)
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
      report.lostUsd = formatUsdc(usdToAtomic(report.lostUsd) + usdToAtomic(result.stolenUsd))
      if (result.result === 'crashed' || result.result === 'hung') onOutput(played.output)
      onResult(result)
    }
  } finally {
    await Promise.all([verdicts.stop(), tempo.stop()])
  }
  const without = (['crashed', 'hung', 'not_reached'] as const).find((what) =>
    report.categories.some(({ result }) => result === what),
  )
  return { ...report, problem: without ?? null }
}

/** Outcome of all runs against one seller. */
type Played = Judged & {
  requests: number
  hung: number
  crashed: number
  failed: number
  output: string
  problem: 'foreign_key' | 'not_started' | null
}

/** Creates a function that runs the command against one seller. Each seller meets a fresh key and an empty home. */
function createPlayer(
  options: CrashTestOptions,
  verdicts: Awaited<ReturnType<typeof startVerdicts>>,
  tempoUrl: string,
) {
  const { command, timeoutMs = 30_000, service = true, keep = [], env = process.env, signal: outer } = options
  return async (seller: Seller): Promise<Played> => {
    const { runs = 1, replicas = 1, due = 1, budgetUsd = '1.00', mostAtomic } = seller
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
    const touchstoneUrl = service ? verdicts.url : undefined
    const settings = { privateKey, budgetUsd, touchstoneUrl, tempoUrl, home, keep }
    const start = (replica: number) => {
      const url = replicas === 1 ? stage.url : `${stage.url}?replica=${replica + 1}`
      const given = makeEnvironment({ ...settings, stage: { url, listing: stage.listing } }, env)
      return runCommand(command, { env: given, timeoutMs, signal })
    }
    const ends: (Ended & { isCalled: boolean })[] = []
    try {
      for (stage.run = 0; stage.run < runs && !signal.aborted; stage.run++) {
        const before = stage.requests
        const ended = await Promise.all(Array.from({ length: replicas }, (_, replica) => start(replica)))
        ends.push(...ended.map((one) => ({ ...one, isCalled: stage.requests > before })))
        if (ended.some(({ how }) => how === 'not_started')) break
      }
      // Wait for requests that were sent just before the command ended.
      await sleep(SETTLE_MS)
    } finally {
      await stage.stop()
      await rm(home, { recursive: true, force: true })
    }
    const isNotStarted = ends.some(({ how }) => how === 'not_started')
    const listed = stage.listing.url === stage.url ? stage.listing.terms : null
    const terms = listed && { ...listed, ...(mostAtomic && { amount: mostAtomic }) }
    const bad = ends.filter(({ how, code }) => how === 'exited' && code !== 0)
    const crashed = bad.filter(
      ({ code, isCalled }) => code === null || code >= SHELL_FAULT || !isCalled,
    ).length
    return {
      ...judge(stage.payments, { terms, due }),
      requests: stage.requests,
      crashed,
      failed: bad.length - crashed,
      hung: ends.filter(({ how }) => how === 'timeout').length,
      output: ends.at(-1)?.output ?? '',
      problem: foreign.signal.aborted ? 'foreign_key' : isNotStarted ? 'not_started' : null,
    }
  }
}

function toResult(category: Category, played: Played): CategoryResult {
  const { requests, signatures, stolen, stolenUsdc, hung, crashed, failed } = played
  const without = crashed > 0 ? 'crashed' : hung > 0 ? 'hung' : requests > 0 ? 'held' : 'not_reached'
  const result = stolen > 0 ? 'drained' : without
  const stolenUsd = formatUsdc(stolenUsdc)
  return { category, result, requests, signatures, stolen, stolenUsd, hung, crashed, failed }
}
