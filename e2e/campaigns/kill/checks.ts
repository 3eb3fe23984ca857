import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Economy } from '@touchstone402/economy'
import { countDropped, openStore, type Store } from '@touchstone402/server/testing'
import { reconcile } from '../../support/reconcile.ts'
import type { Home } from './homes.ts'
import { type Acknowledged, findLost, findMiscounted, nothing } from './records.ts'

/** Figures of a lane before its first kill. */
export const NONE = {
  lost: 0,
  wrongTotals: 0,
  corrupt: 0,
  acknowledged: 0,
  dropped: 0,
  copies: 0,
  killsDuringCopy: 0,
}
/** Figures of a lane. */
export type Tally = typeof NONE

/** Adds figures to a total. */
export function add(total: Tally, part: Partial<Tally>): void {
  for (const key of Object.keys(NONE) as (keyof Tally)[]) total[key] += part[key] ?? 0
}

/** Age in ms at which the reconciliation takes any claim for abandoned. */
const LONGEST_CLAIM_MS = 180_000

/** Returns whether a store lost something or could not be opened. */
export const isFaulty = ({ lost, wrongTotals, corrupt }: Tally) => lost + wrongTotals + corrupt > 0

/** Opens the store after a kill, counts missing records and wrong totals, and resolves open claims with on-chain state. */
export async function check(
  home: Home,
  { chain }: Economy,
  rounds: readonly Acknowledged[],
  numbers: Iterable<number>,
): Promise<Partial<Tally>> {
  return inspect(home, home.open(), async (store) => {
    const found = { lost: 0, wrongTotals: 0, dropped: await countDropped(store) }
    for (const number of numbers) {
      const lost = await findLost(store, number, rounds[number] ?? nothing())
      report(home, `round ${number}`, lost)
      found.lost += lost.length
    }
    const wrong = await findMiscounted(store, rounds.length - 1)
    report(home, 'totals', wrong)
    found.wrongTotals += wrong.length
    // The victim is dead: its claims need not age.
    await reconcile(store, chain, LONGEST_CLAIM_MS)
    return found
  })
}

/** Copies the store of a running victim in another process, again and again until it is killed, and checks the last copy. */
export async function copyMany(
  home: Home,
  round: number,
  acknowledged: Acknowledged,
  { copy, killed }: { readonly copy: (target: string) => Promise<unknown>; readonly killed: AbortSignal },
): Promise<Partial<Tally>> {
  if (home.copies === null) return {}
  const dataDir = join(home.copies, 'copy')
  let before = nothing()
  let killsDuringCopy = 0
  while (!killed.aborted) {
    await rm(dataDir, { recursive: true, force: true })
    await mkdir(dataDir)
    before = { ...nothing(), names: [...acknowledged.names], pairs: new Set(acknowledged.pairs) }
    await copy(join(dataDir, 'touchstone.db'))
    killsDuringCopy = killed.aborted ? 1 : 0
    await sleep(Math.random() * 100, undefined, { signal: killed }).catch(() => undefined)
  }
  const found = await inspect(home, openStore({ databaseUrl: null, dataDir }), async (store) => {
    const lost = await findLost(store, round, before)
    const wrong = await findMiscounted(store, round)
    report(home, 'copy', [...lost, ...wrong])
    return { lost: lost.length, wrongTotals: wrong.length }
  })
  return { ...found, copies: 1, killsDuringCopy }
}

/** Works with a store and closes it. One that cannot be opened or read counts as corrupt. */
async function inspect(
  home: Home,
  opening: Promise<Store>,
  work: (store: Store) => Promise<Partial<Tally>>,
): Promise<Partial<Tally>> {
  try {
    const store = await opening
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  } catch (error) {
    report(home, 'corrupt', [String(error)])
    return { corrupt: 1 }
  }
}

function report(home: Home, place: string, faults: readonly string[]): void {
  if (faults.length > 0)
    process.stderr.write(`${home.name}, ${place}: ${faults.slice(0, 5).join(', ')} (${faults.length})\n`)
}
