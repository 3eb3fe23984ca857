import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { keyAt } from '@touchstone402/economy'
import { startPostgres } from '@touchstone402/server/parts'
import { serve } from '../../support/serve.ts'
import { startSigningService, termOf } from '../../support/signingService.ts'
import { challenge, PRICE, RECEIVER } from '../ledger-kill/seller.ts'

const PAYER = fileURLToPath(new URL('./payer.ts', import.meta.url))
// Test workers have other arguments than a campaign.
const isLoaded = process.execArgv.includes('tsx')
const NODE_ARGS = isLoaded ? process.execArgv : ['--conditions=source', '--import', 'tsx']
const PROCESSES = 8
const CALLS = 400
/** Number of payments that the budget covers. */
const BUDGET = 40
/** About as long as the calls of an undisturbed run take, so that kills come before, amid and after signatures. */
const KILL_WITHIN_MS = 5000
const BUDGET_USD = (BUDGET * Number(PRICE)) / 1e6

/**
 * Lets processes pay on one PostgreSQL ledger whose budget covers a tenth of their calls, first undisturbed, then killed
 * at random moments.
 *
 * The bar: undisturbed they make exactly as many signatures as the budget covers; killed, never more.
 */
export async function run({ short }: { short: boolean }) {
  const rounds = short ? 2 : 20
  const postgres = await startPostgres()
  const service = await startSigningService()
  const seller = await serve((request, response) => {
    if (request.headers['payment-signature'] === undefined) challenge(request, response)
    else response.end('sunny')
  })
  const endpoint = `${seller.url}/weather`
  const verdict = { verdict: 'safe', receiverStability: 'stable', probes: 9 } as const
  service.decisions.set(endpoint, { ...verdict, terms: [termOf(RECEIVER, PRICE)] })
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-shared-ledger-'))
  const settings = { key: keyAt(160), service: service.url, endpoint, database: postgres.url }
  const payOn = async (name: string, kill: boolean) => {
    const signatures = join(folder, name)
    await writeFile(signatures, '')
    const shared = { ...settings, name, signatures, budgetUsd: BUDGET_USD.toFixed(6) }
    const killed = await payTogether(shared, kill)
    // Whatever the killed processes left of the budget can still be spent, and no more.
    if (kill) await payTogether({ ...shared, after: CALLS }, false)
    const made = (await readFile(signatures, 'utf8')).split('\n').filter(Boolean)
    if (new Set(made).size !== made.length) throw new Error('an authorization was signed twice')
    return { signatures: made.length, killed }
  }
  try {
    const calm = await payOn('calm', false)
    let kills = 0
    let overspent = Math.max(0, calm.signatures - BUDGET)
    const counts: number[] = []
    for (let round = 0; round < rounds; round++) {
      const { signatures, killed } = await payOn(`killed-${round}`, true)
      kills += killed
      overspent += Math.max(0, signatures - BUDGET)
      counts.push(signatures)
      process.stderr.write(`round ${round}: ${signatures} signatures, ${killed} kills\n`)
    }
    const figures = { processes: PROCESSES, budget: BUDGET, signatures: calm.signatures, overspent, kills }
    // The run is vacuous if the kills came before or after all payments.
    const didWork = kills > 0 && counts.some((count) => count > 0)
    return { ok: didWork && calm.signatures === BUDGET && overspent === 0, figures }
  } finally {
    await seller.stop()
    await service.stop()
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs all processes at once. Returns how many were killed. */
async function payTogether(
  { after = 0, ...settings }: Record<string, unknown> & { after?: number },
  kill: boolean,
): Promise<number> {
  const calls = CALLS / PROCESSES
  const children = Array.from({ length: PROCESSES }, (_, index) =>
    start({ ...settings, calls, first: after + index * calls }),
  )
  const exits = children.map((child) => once(child, 'exit'))
  try {
    await Promise.all(children.map((child) => once(child, 'message')))
    for (const child of children) child.send('go')
    if (kill) {
      const kills = children.map((child) =>
        sleep(Math.random() * KILL_WITHIN_MS).then(() => child.kill('SIGKILL')),
      )
      return (await Promise.all(kills)).filter(Boolean).length
    }
    return 0
  } finally {
    await Promise.all(exits)
  }
}

function start(settings: Record<string, unknown>): ChildProcess {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const
  return spawn(process.execPath, [...NODE_ARGS, PAYER, JSON.stringify(settings)], { stdio: [...stdio] })
}
