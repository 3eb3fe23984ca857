import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '@touchstone402/server/testing'
import { startChild } from '../support/child.ts'
import { openPaying, PRICE } from '../support/openPaying.ts'
import type { PayerSettings } from '../support/payer.ts'

const PROCESSES = 8
const CALLS = 400
/** Number of payments that the budget covers. */
const BUDGET = 40
const BUDGET_USD = ((BUDGET * PRICE) / 1e6).toFixed(6)

/**
 * Processes that share a PostgreSQL ledger never sign more often than their budget covers.
 *
 * Runs processes that pay on one PostgreSQL ledger whose budget covers a tenth of their calls, first undisturbed, then killed
 * at random moments.
 *
 * The bar: undisturbed they make exactly as many signatures as the budget covers; killed, never more.
 */
export async function run({ short }: { short: boolean }) {
  const rounds = short ? 1 : 20
  // A busy machine may let every kill come before the first signature, or after the last.
  const mostRounds = rounds + 9
  const postgres = await startPostgres()
  const paying = await openPaying()
  const policy = { maxPerDayUsd: BUDGET_USD, maxPerHostPerDayUsd: '1000' }
  const settings = { ...paying.settings, policy, integration: 'guarded fetch' } as const
  const payOn = async (name: string, killWithinMs?: number) => {
    const signatures = join(paying.folder, name)
    await writeFile(signatures, '')
    const shared = { ...settings, signatures, ledger: { database: postgres.url, name } }
    const { killed, ms } = await payTogether(paying.payer, shared, 0, killWithinMs)
    // The part of the budget that the killed processes left can still be spent, and no more.
    if (killWithinMs !== undefined) await payTogether(paying.payer, shared, CALLS)
    const made = (await readFile(signatures, 'utf8')).split('\n').filter(Boolean)
    if (new Set(made).size !== made.length) throw new Error('an authorization was signed twice')
    return { signatures: made.length, killed, ms }
  }
  try {
    const calm = await payOn('calm')
    let kills = 0
    let overspent = Math.max(0, calm.signatures - BUDGET)
    const counts: number[] = []
    const didWork = () => kills > 0 && counts.some((count) => count > 0)
    for (let round = 0; round < rounds || (!didWork() && round < mostRounds); round++) {
      const { signatures, killed } = await payOn(`killed-${round}`, calm.ms)
      kills += killed
      overspent += Math.max(0, signatures - BUDGET)
      counts.push(signatures)
      process.stderr.write(`round ${round}: ${signatures} signatures, ${killed} kills\n`)
    }
    const figures = { processes: PROCESSES, budget: BUDGET, signatures: calm.signatures, overspent, kills }
    // The run is vacuous if the kills came before or after all payments.
    return { ok: didWork() && calm.signatures === BUDGET && overspent === 0, figures }
  } finally {
    await paying.stop()
    await postgres.stop()
  }
}

/**
 * Runs all processes at once.
 * @param from number of the first call
 * @param killWithinMs time in which they are killed: that of an undisturbed run, so that kills come before, amid
 * and after signatures. @default none is killed
 * @returns how many were killed, and how long it took
 */
async function payTogether(payer: string, shared: PayerSettings, from: number, killWithinMs?: number) {
  const calls = CALLS / PROCESSES
  const children = Array.from({ length: PROCESSES }, (_, index) => {
    const queries = Array.from({ length: calls }, (_, call) => `call=${from + index * calls + call}`)
    return startChild(payer, { settings: { ...shared, queries } })
  })
  await Promise.all(children.map((child) => child.hear()))
  const startedAt = performance.now()
  for (const child of children) child.process.send('go')
  const kills = children.map(async ({ process }, index) => {
    if (killWithinMs === undefined) return false
    // Each at random within its own part of the time, so that some come early on a slow machine as well.
    await sleep(((index + Math.random()) / PROCESSES) * killWithinMs)
    return process.kill('SIGKILL')
  })
  const killed = (await Promise.all(kills)).filter(Boolean).length
  await Promise.all(children.map(({ gone }) => gone))
  return { killed, ms: performance.now() - startedAt }
}
