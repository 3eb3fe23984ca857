import type { BlockRange, TransferColumns } from '../types.ts'
import type { AddressTable } from './addressTable.ts'

/** Rows `from` (included) to `to` (not included) of some columns. */
export type Slice = { readonly columns: TransferColumns; readonly from: number; readonly to: number }

/** The first row at or after a block. */
export const firstRowAt = (
  { block, count }: Pick<TransferColumns, 'block' | 'count'>,
  at: number,
): number => {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((block[middle] ?? 0) < at) low = middle + 1
    else high = middle
  }
  return low
}

/** The rows within a range of blocks. */
export const sliceRange = (columns: TransferColumns, range: BlockRange): Slice => ({
  columns,
  from: firstRowAt(columns, range.from),
  to: firstRowAt(columns, range.to + 1),
})

/** Bytes that columns hold, addresses left out since they are shared. */
export const columnBytes = ({ block, valueLow, txWords }: TransferColumns): number =>
  block.length * 20 + valueLow.length * 16 + txWords.length * 4

/**
 * One set of columns out of slices that follow one another in blocks and share the address table.
 * A single slice that is whole is returned as it is.
 */
export const joinSlices = (slices: readonly Slice[], addresses: AddressTable): TransferColumns => {
  const used = slices.filter(({ from, to }) => from < to)
  const [only] = used
  if (used.length === 1 && only !== undefined && only.from === 0 && only.to === only.columns.count)
    return { ...only.columns, addressWords: addresses.words(), addressCount: addresses.count() }
  const count = used.reduce((sum, { from, to }) => sum + to - from, 0)
  const u32 = () => new Uint32Array(count)
  const joined = { block: u32(), logIndex: u32(), tx: u32(), from: u32(), to: u32() }
  const valueLow = new Float64Array(count)
  const valueHigh = new Float64Array(count)
  const wideValues = new Map<number, bigint>()
  const txRanges = used.map(({ columns, from, to }) => ({
    first: columns.tx[from] ?? 0,
    last: columns.tx[to - 1] ?? 0,
  }))
  const txCount = txRanges.reduce((sum, { first, last }) => sum + last - first + 1, 0)
  const txWords = new Uint32Array(txCount * 8)
  let at = 0
  let txAt = 0
  used.forEach(({ columns, from, to }, i) => {
    for (const name of ['block', 'logIndex', 'from', 'to'] as const)
      joined[name].set(columns[name].subarray(from, to), at)
    valueLow.set(columns.valueLow.subarray(from, to), at)
    valueHigh.set(columns.valueHigh.subarray(from, to), at)
    const { first, last } = txRanges[i] ?? { first: 0, last: -1 }
    const shift = txAt - first
    if (shift === 0) joined.tx.set(columns.tx.subarray(from, to), at)
    else for (let row = from; row < to; row++) joined.tx[at + row - from] = (columns.tx[row] ?? 0) + shift
    txWords.set(columns.txWords.subarray(first * 8, (last + 1) * 8), txAt * 8)
    for (const [row, value] of columns.wideValues)
      if (row >= from && row < to) wideValues.set(at + row - from, value)
    at += to - from
    txAt += last - first + 1
  })
  return {
    count,
    ...joined,
    valueLow,
    valueHigh,
    wideValues,
    addressWords: addresses.words(),
    addressCount: addresses.count(),
    txWords,
    txCount,
  }
}
