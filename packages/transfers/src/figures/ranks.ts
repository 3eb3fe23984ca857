import { LIMB, valueAt } from '../columns/columns.ts'
import type { TransferColumns } from '../types.ts'

/** Values of a window in order of size, without a bigint a row. */
export type Ranks = {
  readonly count: number
  /** The value of which `share` (0 to 1) of all are at most as large, by nearest rank; 0 without rows. */
  percentile(share: number): bigint
  /** The value at a place counted from the largest, which is 0; 0 beyond the last. */
  largest(place: number): bigint
  /** Rows with at least this value, largest first, ties in chain order. */
  rowsFrom(threshold: bigint): number[]
}

const keyAt = (columns: TransferColumns, row: number): number => {
  const wide = columns.wideValues.size > 0 ? columns.wideValues.get(row) : undefined
  if (wide !== undefined) return Number(wide)
  return (columns.valueHigh[row] as number) * LIMB + (columns.valueLow[row] as number)
}

const compare = (a: bigint, b: bigint): number => (a === b ? 0 : a < b ? -1 : 1)

/** Ranks by a double a row; rows whose doubles are equal are told apart exactly. */
export const createRanks = (columns: TransferColumns): Ranks => {
  const { count } = columns
  const keys = new Float64Array(count)
  for (let row = 0; row < count; row++) keys[row] = keyAt(columns, row)
  const sorted = keys.slice().sort()

  const atPlace = (place: number): bigint => {
    const key = sorted[place]
    if (key === undefined) return 0n
    // Below 2^53 a double is the value itself.
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
      // Rounding is monotonic: a row below the rounded threshold is below the threshold.
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
