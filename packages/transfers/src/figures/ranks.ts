import { LIMB, valueAt } from '../columns/columns.ts'
import type { TransferColumns } from '../types.ts'

/** Values of a window by size, without a bigint per row. */
export type Ranks = {
  readonly count: number
  /** Returns the nearest-rank percentile for `share` (0 to 1); 0 without rows. */
  percentile(share: number): bigint
  /** Returns the value at a place, counted from 0 for the largest; 0 past the end. */
  largest(place: number): bigint
  /** Returns the rows with at least this value, largest first, ties in chain order. */
  rowsFrom(threshold: bigint): number[]
}

/** Approximates the value of a row, for ranking. Equal values give equal numbers, and zero gives 0. */
export function sizeAt(columns: TransferColumns, row: number): number {
  const wide = columns.wideValues.size > 0 ? columns.wideValues.get(row) : undefined
  if (wide !== undefined) return Number(wide)
  return (columns.valueHigh[row] as number) * LIMB + (columns.valueLow[row] as number)
}

const compare = (a: bigint, b: bigint): number => (a === b ? 0 : a < b ? -1 : 1)

/** Ranks rows by a double each, and compares rows with equal doubles exactly. */
export function createRanks(columns: TransferColumns): Ranks {
  const { count } = columns
  const keys = new Float64Array(count)
  for (let row = 0; row < count; row++) keys[row] = sizeAt(columns, row)
  const sorted = keys.slice().sort()

  const atPlace = (place: number): bigint => {
    const key = sorted[place]
    if (key === undefined) return 0n
    // Below 2^53 a double is exact.
    if (key < Number.MAX_SAFE_INTEGER) return BigInt(key)
    const group: bigint[] = []
    for (let row = 0; row < count; row++) if (keys[row] === key) group.push(valueAt(columns, row))
    group.sort(compare)
    return group[place - sorted.indexOf(key)] ?? 0n
  }

  return {
    count,
    percentile: (share) => (count === 0 ? 0n : atPlace(Math.max(0, Math.ceil(share * count) - 1))),
    largest: (place) => (place < count ? atPlace(count - 1 - place) : 0n),
    rowsFrom(threshold) {
      // Rounding is monotonic, so a row below the rounded threshold is below the threshold.
      const least = Number(threshold)
      const rows: { row: number; value: bigint }[] = []
      for (let row = 0; row < count; row++) {
        if ((keys[row] as number) < least) continue
        const value = valueAt(columns, row)
        if (value >= threshold) rows.push({ row, value })
      }
      return rows.sort((a, b) => compare(b.value, a.value) || a.row - b.row).map(({ row }) => row)
    },
  }
}
