import { LIMB } from '../columns/columns.ts'
import type { TransferColumns } from '../types.ts'

/** Exact sums of row values, one per slot. */
export type Sums = {
  /** Adds the value of a row to a slot. */
  add(slot: number, row: number): void
  subtract(slot: number, row: number): void
  /** Subtracts each row from the slot of its sender and adds it to that of its recipient. */
  addNets(): void
  /** Adds one of other sums to a slot. */
  addSum(slot: number, others: Sums, other: number): void
  at(slot: number): bigint
  /** Approximates `at`, with the exact sign, and exactly below 2^53. Equal sums give equal numbers. */
  approximate(slot: number): number
}

const LIMB_BITS = 48n
/** Above this the next addition to a limb may round. */
const SPILL = 2 ** 52

/**
 * Creates `size` sums of 0. They take no bigint per row: two limbs in doubles, of 1 and of 2^48, and a bigint only for
 * slots that outgrow them.
 */
export function createSums(columns: TransferColumns, size: number): Sums {
  const { valueLow, valueHigh, wideValues } = columns
  const lower = new Float64Array(size)
  const upper = new Float64Array(size)
  const rests = new Map<number, bigint>()
  const hasWide = wideValues.size > 0

  const addRest = (slot: number, value: bigint) => rests.set(slot, (rests.get(slot) ?? 0n) + value)
  const spill = (slot: number) => {
    addRest(slot, (BigInt(upper[slot] as number) << LIMB_BITS) + BigInt(lower[slot] as number))
    upper[slot] = 0
    lower[slot] = 0
  }
  const put = (slot: number, low: number, high: number) => {
    const sum = (lower[slot] as number) + low
    lower[slot] = sum
    if (sum > SPILL || sum < -SPILL) spill(slot)
    if (high === 0) return
    const highSum = (upper[slot] as number) + high
    upper[slot] = highSum
    if (highSum > SPILL || highSum < -SPILL) spill(slot)
  }
  const at = (slot: number): bigint =>
    (rests.get(slot) ?? 0n) + (BigInt(upper[slot] ?? 0) << LIMB_BITS) + BigInt(lower[slot] ?? 0)

  const add = (slot: number, row: number) => {
    put(slot, valueLow[row] as number, valueHigh[row] as number)
    const wide = hasWide ? wideValues.get(row) : undefined
    if (wide !== undefined) addRest(slot, wide)
  }
  const subtract = (slot: number, row: number) => {
    put(slot, -(valueLow[row] as number), -(valueHigh[row] as number))
    const wide = hasWide ? wideValues.get(row) : undefined
    if (wide !== undefined) addRest(slot, -wide)
  }

  return {
    at,
    add,
    subtract,
    addNets() {
      // Local names: this is the hottest loop of an answer.
      const { count, from, to, valueLow: values, valueHigh: high } = columns
      const sums = lower
      for (let row = 0; row < count; row++) {
        const sender = from[row] as number
        const recipient = to[row] as number
        if (hasWide || high[row] !== 0) {
          subtract(sender, row)
          add(recipient, row)
          continue
        }
        const value = values[row] as number
        const less = (sums[sender] as number) - value
        sums[sender] = less
        if (less < -SPILL) spill(sender)
        const more = (sums[recipient] as number) + value
        sums[recipient] = more
        if (more > SPILL) spill(recipient)
      }
    },
    addSum(slot, others, other) {
      const rough = others.approximate(other)
      if (Math.abs(rough) < SPILL) put(slot, rough, 0)
      else addRest(slot, others.at(other))
    },
    approximate(slot) {
      if (rests.size > 0 && rests.has(slot)) return Number(at(slot))
      return (upper[slot] as number) * LIMB + (lower[slot] as number)
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
