import { LIMB } from '../columns/columns.ts'
import type { TransferColumns } from '../types.ts'

/** Exact sums of row values, one per slot. */
export type Sums = {
  /** Adds the value of a row to a slot. */
  add(slot: number, row: number): void
  at(slot: number): bigint
  /** Approximates `at`, for ranking. Equal sums give equal numbers. */
  approximate(slot: number): number
  /** Approximates this sum minus another's, with the exact sign. */
  approximateLess(other: Sums, slot: number): number
  /** Returns the sum of all slots. */
  total(): bigint
  readonly limbs: {
    readonly low: Float64Array
    readonly high: Float64Array
    readonly wide: ReadonlyMap<number, bigint>
  }
}

const LIMB_BITS = 48n
/** Above this the next addition to the upper limb may round. */
const SPILL = 2 ** 52

/**
 * Creates `size` sums of 0. They take no bigint per row: two 48-bit limbs in doubles, with a carry at each
 * addition, and a bigint only for slots that outgrow them.
 */
export function createSums(columns: TransferColumns, size: number): Sums {
  const { valueLow, valueHigh, wideValues } = columns
  const low = new Float64Array(size)
  const high = new Float64Array(size)
  const wide = new Map<number, bigint>()
  const hasWide = wideValues.size > 0
  const addWide = (slot: number, value: bigint) => wide.set(slot, (wide.get(slot) ?? 0n) + value)

  const at = (slot: number): bigint =>
    (wide.get(slot) ?? 0n) + (BigInt(high[slot] ?? 0) << LIMB_BITS) + BigInt(low[slot] ?? 0)

  const add = (slot: number, row: number): void => {
    let sum = (low[slot] as number) + (valueLow[row] as number)
    let upper = (high[slot] as number) + (valueHigh[row] as number)
    if (sum >= LIMB) {
      sum -= LIMB
      upper += 1
    }
    if (upper >= SPILL) {
      addWide(slot, BigInt(upper) << LIMB_BITS)
      upper = 0
    }
    low[slot] = sum
    high[slot] = upper
    if (hasWide) {
      const value = wideValues.get(row)
      if (value !== undefined) addWide(slot, value)
    }
  }

  return {
    at,
    add,
    approximate(slot) {
      const narrow = (high[slot] as number) * LIMB + (low[slot] as number)
      return wide.size > 0 && wide.has(slot) ? Number(at(slot)) : narrow
    },
    limbs: { low, high, wide },
    approximateLess({ limbs, at: otherAt }, slot) {
      if ((wide.size > 0 && wide.has(slot)) || (limbs.wide.size > 0 && limbs.wide.has(slot)))
        return Number(at(slot) - otherAt(slot))
      // By limb, because the difference of two large doubles loses the low bits.
      const upper = (high[slot] as number) - (limbs.high[slot] as number)
      return upper * LIMB + ((low[slot] as number) - (limbs.low[slot] as number))
    },
    total() {
      let sum = 0n
      let lower = 0
      let upper = 0
      for (let slot = 0; slot < size; slot++) {
        lower += low[slot] as number
        upper += high[slot] as number
        if (lower >= LIMB) {
          lower -= LIMB
          upper += 1
        }
        if (upper >= SPILL) {
          sum += BigInt(upper) << LIMB_BITS
          upper = 0
        }
      }
      sum += (BigInt(upper) << LIMB_BITS) + BigInt(lower)
      for (const value of wide.values()) sum += value
      return sum
    },
  }
}

/** Sums all values. */
export function sumAll({ count, valueLow, valueHigh, wideValues }: TransferColumns): bigint {
  let sum = 0n
  let lower = 0
  let upper = 0
  for (let row = 0; row < count; row++) {
    lower += valueLow[row] as number
    upper += valueHigh[row] as number
    if (lower <= SPILL && upper <= SPILL) continue
    sum += (BigInt(upper) << LIMB_BITS) + BigInt(lower)
    lower = 0
    upper = 0
  }
  for (const [row, value] of wideValues) if (row < count) sum += value
  return sum + (BigInt(upper) << LIMB_BITS) + BigInt(lower)
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
