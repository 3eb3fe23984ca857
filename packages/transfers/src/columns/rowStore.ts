import type { BlockRange, TransferColumns } from '../types.ts'
import type { AddressTable } from './addressTable.ts'

const TX_WORDS = 8

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

/** Columns of rows. */
export type RowColumns = Pick<
  TransferColumns,
  'block' | 'logIndex' | 'tx' | 'from' | 'to' | 'valueLow' | 'valueHigh'
>

/** Changes each column of rows. */
export function mapColumns(
  { block, logIndex, tx, from, to, valueLow, valueHigh }: RowColumns,
  change: <T extends Uint32Array | Float64Array>(column: T) => T,
): RowColumns {
  return {
    block: change(block),
    logIndex: change(logIndex),
    tx: change(tx),
    from: change(from),
    to: change(to),
    valueLow: change(valueLow),
    valueHigh: change(valueHigh),
  }
}

/** Columns with room for a fixed number of rows. Rows are only ever appended, so views of them stay valid. */
export type RowStore = {
  readonly columns: RowColumns & Pick<TransferColumns, 'txWords'>
  readonly wideValues: Map<number, bigint>
  count: number
  txCount: number
}

/** Creates an empty store. */
export function createRowStore(rows: number, txs: number): RowStore {
  return {
    columns: {
      block: new Uint32Array(rows),
      logIndex: new Uint32Array(rows),
      tx: new Uint32Array(rows),
      from: new Uint32Array(rows),
      to: new Uint32Array(rows),
      valueLow: new Float64Array(rows),
      valueHigh: new Float64Array(rows),
      txWords: new Uint32Array(txs * TX_WORDS),
    },
    wideValues: new Map(),
    count: 0,
    txCount: 0,
  }
}

function txsOf({ columns, from, to }: Slice): { first: number; count: number } {
  const first = columns.tx[from] ?? 0
  return { first, count: (columns.tx[to - 1] ?? -1) - first + 1 }
}

/** Counts the rows and transactions of some slices. */
export function sizeOfSlices(slices: readonly Slice[]): { rows: number; txs: number } {
  return {
    rows: slices.reduce((sum, { from, to }) => sum + to - from, 0),
    txs: slices.reduce((sum, slice) => sum + txsOf(slice).count, 0),
  }
}

/** Whether a store has room for more rows and transactions. */
export function hasRoom({ columns, ...store }: RowStore, rows: number, txs: number): boolean {
  return (
    store.count + rows <= columns.block.length && (store.txCount + txs) * TX_WORDS <= columns.txWords.length
  )
}

/** Appends the rows of a slice. The caller has checked that there is room. */
export function appendSlice(store: RowStore, slice: Slice): void {
  const { columns, from, to } = slice
  const at = store.count
  for (const name of ['block', 'logIndex', 'from', 'to', 'valueLow', 'valueHigh'] as const)
    store.columns[name].set(columns[name].subarray(from, to), at)
  const { first, count } = txsOf(slice)
  const shift = store.txCount - first
  for (let row = from; row < to; row++) store.columns.tx[at + row - from] = (columns.tx[row] ?? 0) + shift
  store.columns.txWords.set(
    columns.txWords.subarray(first * TX_WORDS, (first + count) * TX_WORDS),
    store.txCount * TX_WORDS,
  )
  for (const [row, value] of columns.wideValues)
    if (row >= from && row < to) store.wideValues.set(at + row - from, value)
  store.count += to - from
  store.txCount += count
}

/** Returns rows `from` (inclusive) to `to` (exclusive) as columns, without a copy. */
export function viewRows(
  { columns, wideValues, txCount }: RowStore,
  from: number,
  to: number,
  addresses: AddressTable,
): TransferColumns {
  const wide = [...wideValues].flatMap(([row, value]): [number, bigint][] =>
    row >= from && row < to ? [[row - from, value]] : [],
  )
  return {
    ...mapColumns(
      columns,
      <T extends Uint32Array | Float64Array>(column: T) => column.subarray(from, to) as T,
    ),
    count: to - from,
    wideValues: new Map(wide),
    addressWords: addresses.words(),
    addressCount: addresses.count(),
    txWords: columns.txWords,
    txCount,
  }
}

/**
 * Concatenates slices that ascend by block and share the address table.
 * A single slice that holds all rows of its columns is returned without a copy.
 */
export function joinSlices(slices: readonly Slice[], addresses: AddressTable): TransferColumns {
  const used = slices.filter(({ from, to }) => from < to)
  const [only] = used
  if (used.length === 1 && only !== undefined && only.from === 0 && only.to === only.columns.count)
    return { ...only.columns, addressWords: addresses.words(), addressCount: addresses.count() }
  const { rows, txs } = sizeOfSlices(used)
  const store = createRowStore(rows, txs)
  for (const slice of used) appendSlice(store, slice)
  return viewRows(store, 0, rows, addresses)
}
