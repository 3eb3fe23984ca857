import { LIMB } from '../columns/columns.ts'
import type { TransferColumns } from '../types.ts'

/** Exact sums of row values, one per slot. */
export type Sums = {
  /** Adds the value of a row to a slot. */
  add(slot: number, row: number): void
  subtract(slot: number, row: number): void
  /** Adds one of other sums to a slot. */
  addSum(slot: number, others: Sums, other: number): void
  at(slot: number): bigint
  /** Approximates `at`, with the exact sign, and exactly below 2^53. Equal sums give equal numbers. */
  approximate(slot: number): number
  /** Parts of a sum: multiples of 1 and of 2^48, and the rest. */
  parts(slot: number): readonly [low: number, high: number, rest: bigint]
}

const LIMB_BITS = 48n
/** Above this the next addition to the upper limb may round. */
const SPILL = 2 ** 52

/**
 * Creates `size` sums of 0. They take no bigint per row: two 48-bit limbs in doubles, with a carry at each
 * addition, and a bigint only for slots that outgrow them.
 */
export function createSums({ valueLow, valueHigh, wideValues }: TransferColumns, size: number): Sums {
  // The limbs of a slot are neighbours, so that they share a CPU cache line.
  const limbs = new Float64Array(size * 2)
  const rests = new Map<number, bigint>()
  const hasWide = wideValues.size > 0

  const addRest = (slot: number, value: bigint) => rests.set(slot, (rests.get(slot) ?? 0n) + value)
  const put = (slot: number, low: number, high: number) => {
    let lower = (limbs[slot * 2] as number) + low
    let upper = (limbs[slot * 2 + 1] as number) + high
    if (lower >= LIMB) {
      lower -= LIMB
      upper++
    } else if (lower <= -LIMB) {
      lower += LIMB
      upper--
    }
    if (upper >= SPILL || upper <= -SPILL) {
      addRest(slot, BigInt(upper) << LIMB_BITS)
      upper = 0
    }
    limbs[slot * 2] = lower
    limbs[slot * 2 + 1] = upper
  }
  const parts: Sums['parts'] = (slot) => [
    limbs[slot * 2] ?? 0,
    limbs[slot * 2 + 1] ?? 0,
    rests.get(slot) ?? 0n,
  ]
  const at = (slot: number): bigint => {
    const [low, high, rest] = parts(slot)
    return rest + (BigInt(high) << LIMB_BITS) + BigInt(low)
  }

  return {
    at,
    parts,
    add(slot, row) {
      put(slot, valueLow[row] as number, valueHigh[row] as number)
      const wide = hasWide ? wideValues.get(row) : undefined
      if (wide !== undefined) addRest(slot, wide)
    },
    subtract(slot, row) {
      put(slot, -(valueLow[row] as number), -(valueHigh[row] as number))
      const wide = hasWide ? wideValues.get(row) : undefined
      if (wide !== undefined) addRest(slot, -wide)
    },
    addSum(slot, others, other) {
      const [low, high, rest] = others.parts(other)
      put(slot, low, high)
      if (rest !== 0n) addRest(slot, rest)
    },
    approximate(slot) {
      if (rests.size > 0 && rests.has(slot)) return Number(at(slot))
      return (limbs[slot * 2 + 1] as number) * LIMB + (limbs[slot * 2] as number)
    },
  }
}

/** Returns the slots with the largest positive values, best first; ties go to the smaller slot. */
export function topSlots(
  size: number,
  limit: number,
  approximate: (slot: number) => number,
  exact: (slot: number) => bigint,
): number[] {
  // Rounding may misorder nearly equal sums, so a few more candidates are compared exactly.
  const ranked: { slot: number; rank: number }[] = []
  const room = limit + 16
  let least = 0
  for (let slot = 0; slot < size; slot++) {
    const rank = approximate(slot)
    if (!(rank > 0) || (ranked.length >= room * 2 && rank <= least)) continue
    ranked.push({ slot, rank })
    if (ranked.length > room * 4) {
      ranked.sort((a, b) => b.rank - a.rank)
      ranked.length = room * 2
      least = ranked.at(-1)?.rank ?? 0
    }
  }
  return ranked
    .sort((a, b) => b.rank - a.rank)
    .slice(0, room * 2)
    .map(({ slot }) => ({ slot, value: exact(slot) }))
    .sort((a, b) => (a.value === b.value ? a.slot - b.slot : a.value < b.value ? 1 : -1))
    .filter(({ value }) => value > 0n)
    .slice(0, limit)
    .map(({ slot }) => slot)
}
