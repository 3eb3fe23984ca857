import type { BlockRange, TransferColumns } from '../types.ts'

/** Rows `from` (inclusive) to `to` (exclusive) of some columns. */
export type Slice = { readonly columns: TransferColumns; readonly from: number; readonly to: number }

/** Returns the first row at or after a block. */
export function firstRowAt({ block, count }: Pick<TransferColumns, 'block' | 'count'>, at: number): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((block[middle] ?? 0) < at) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the rows within a range of blocks. */
export function sliceRange(columns: TransferColumns, range: BlockRange): Slice {
  return {
    columns,
    from: firstRowAt(columns, range.from),
    to: firstRowAt(columns, range.to + 1),
  }
}

/** Size of columns in bytes, without the addresses, which are shared. */
export function columnBytes({
  block,
  valueLow,
  txWords,
}: Pick<TransferColumns, 'block' | 'valueLow' | 'txWords'>): number {
  return block.length * 20 + valueLow.length * 16 + txWords.length * 4
}
