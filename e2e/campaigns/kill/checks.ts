import type { Economy } from '@touchstone402/economy'
import { countDropped, reconcileClaims, type Store } from '@touchstone402/server/parts'
import { countUnseen, type Home } from './homes.ts'
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
  const keys: readonly (keyof Tally)[] = ['lost', 'wrongTotals', 'corrupt', 'acknowledged', 'dropped']
  for (const key of [...keys, 'copies', 'killsDuringCopy'] as const) total[key] += part[key] ?? 0
}

/**
 * Opens the store after a kill, counts missing records and wrong totals, and resolves open claims with on-chain state.
 * @param offered hosts that must have been crawled; the last check counts the dropped looks too
 */
export async function check(
  home: Home,
  economy: Economy,
  newest: number,
  rounds: readonly Acknowledged[],
  numbers: Iterable<number>,
  offered?: Acknowledged['offered'],
): Promise<Partial<Tally>> {
  return inspect(home, home.open(newest), async (store) => {
    const found = { lost: 0, wrongTotals: 0, dropped: 0 }
    for (const number of numbers) {
      const lost = await findLost(store, number, rounds[number] ?? nothing())
      const wrong = await findMiscounted(store, number)
      report(home, `round ${number}`, [...lost, ...wrong])
      found.lost += lost.length
      found.wrongTotals += wrong.length
    }
    if (offered) {
      found.lost += 'url' in home.place ? await countUnseen(store, offered) : 0
      found.dropped += await countDropped(store)
    }
    const { publicClient: chain, network } = economy.chain
    const atOnce = { abandonedAfterMs: 0, settlingAfterMs: 0 }
    await reconcileClaims({ claims: store.claims, chain, network, ...atOnce })
    return found
  })
}

/** Opens the newest copy that the killed process made, and removes it with the one that the kill interrupted. */
export async function checkCopy(
  home: Home,
  round: number,
  acknowledged: Acknowledged,
): Promise<Partial<Tally>> {
  const { copied, copying, names } = acknowledged
  const killsDuringCopy = copying === undefined ? 0 : 1
  if (copied === undefined) {
    await home.removeCopies()
    return { killsDuringCopy }
  }
  const found = await inspect(home, home.openCopy(copied.name), async (store) => {
    const before = { ...nothing(), names: names.slice(0, copied.after) }
    const lost = await findLost(store, round, before)
    const wrong = await findMiscounted(store, round)
    report(home, `copy ${copied.name}`, [...lost, ...wrong])
    return { lost: lost.length, wrongTotals: wrong.length }
  })
  await home.removeCopies()
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
