import type { BlockRange, TransferColumns } from '../types.ts'
import type { AddressTable } from './addressTable.ts'
import { firstRowAt, type Slice } from './columnSlices.ts'

/**
 * The rows of a busy series in one piece, so that a window of them is a view and no copy.
 *
 * Rows are only ever added behind the last: views that were given out before keep what they showed.
 */
export type Assembly = {
  /** The rows of a range, of which `slices` hold all. */
  view(range: BlockRange, slices: readonly Slice[]): TransferColumns
  /** Forgets everything: what was newest has been replaced. */
  drop(): void
  bytes(): number
}

type Held = {
  /** The block from which on all rows are held. */
  from: number
  /** The first block that was asked for since the rows were last moved. */
  asked: number
  columns: Omit<TransferColumns, 'addressWords' | 'addressCount' | 'count' | 'txCount' | 'wideValues'>
  wideValues: Map<number, bigint>
  count: number
  txCount: number
}

/** Room for rows to come, beside those that are there. */
const SPARE = 0.25
const ROW_BYTES = 36
const TX_WORDS = 8

const makeRoom = (rows: number, txs: number): Held['columns'] => ({
  block: new Uint32Array(rows),
  logIndex: new Uint32Array(rows),
  tx: new Uint32Array(rows),
  from: new Uint32Array(rows),
  to: new Uint32Array(rows),
  valueLow: new Float64Array(rows),
  valueHigh: new Float64Array(rows),
  txWords: new Uint32Array(txs * TX_WORDS),
})

const txsOf = ({ columns, from, to }: Slice): { first: number; count: number } => {
  const first = columns.tx[from] ?? 0
  return { first, count: (columns.tx[to - 1] ?? -1) - first + 1 }
}

const append = (held: Held, slice: Slice): void => {
  const { columns, from, to } = slice
  const at = held.count
  for (const name of ['block', 'logIndex', 'from', 'to', 'valueLow', 'valueHigh'] as const)
    held.columns[name].set(columns[name].subarray(from, to), at)
  const { first, count } = txsOf(slice)
  const shift = held.txCount - first
  for (let row = from; row < to; row++) held.columns.tx[at + row - from] = (columns.tx[row] ?? 0) + shift
  held.columns.txWords.set(
    columns.txWords.subarray(first * TX_WORDS, (first + count) * TX_WORDS),
    held.txCount * TX_WORDS,
  )
  for (const [row, value] of columns.wideValues)
    if (row >= from && row < to) held.wideValues.set(at + row - from, value)
  held.count += to - from
  held.txCount += count
}

const sizeOf = (slices: readonly Slice[]): { rows: number; txs: number } => ({
  rows: slices.reduce((sum, { from, to }) => sum + to - from, 0),
  txs: slices.reduce((sum, slice) => sum + txsOf(slice).count, 0),
})

/** Creates an empty assembly. */
export const createAssembly = (addresses: AddressTable): Assembly => {
  let held: Held | null = null

  const rebuild = (from: number, slices: readonly Slice[]): Held => {
    const { rows, txs } = sizeOf(slices)
    const columns = makeRoom(Math.ceil(rows * (1 + SPARE)), Math.ceil(txs * (1 + SPARE)))
    const fresh: Held = { from, asked: from, columns, wideValues: new Map(), count: 0, txCount: 0 }
    for (const slice of slices) append(fresh, slice)
    return fresh
  }
  const asSlice = (some: Held, from: number): Slice => {
    const columns = show(some, 0, some.count)
    return { columns, from: firstRowAt(columns, from), to: some.count }
  }

  const show = (some: Held, from: number, to: number): TransferColumns => {
    const part = <T extends Uint32Array | Float64Array>(column: T): T => column.subarray(from, to) as T
    const { columns } = some
    const wide = [...some.wideValues].flatMap(([row, value]): [number, bigint][] =>
      row >= from && row < to ? [[row - from, value]] : [],
    )
    return {
      count: to - from,
      block: part(columns.block),
      logIndex: part(columns.logIndex),
      tx: part(columns.tx),
      from: part(columns.from),
      to: part(columns.to),
      valueLow: part(columns.valueLow),
      valueHigh: part(columns.valueHigh),
      wideValues: new Map(wide),
      addressWords: addresses.words(),
      addressCount: addresses.count(),
      txWords: columns.txWords,
      txCount: some.txCount,
    }
  }

  const extend = (range: BlockRange, slices: readonly Slice[]): Held => {
    const last = held === null || held.count === 0 ? -1 : (held.columns.block[held.count - 1] ?? -1)
    if (held === null || held.from > range.from || range.from > last + 1) return rebuild(range.from, slices)
    const newer = slices
      .map((slice) => ({ ...slice, from: Math.max(slice.from, firstRowAt(slice.columns, last + 1)) }))
      .filter(({ from, to }) => from < to)
    const { rows, txs } = sizeOf(newer)
    held.asked = Math.min(held.asked, range.from)
    const { block, txWords } = held.columns
    if (held.count + rows > block.length || (held.txCount + txs) * TX_WORDS > txWords.length)
      return rebuild(held.asked, [asSlice(held, held.asked), ...newer])
    for (const slice of newer) append(held, slice)
    return held
  }

  return {
    drop() {
      held = null
    },
    bytes: () =>
      held === null ? 0 : held.columns.block.length * ROW_BYTES + held.columns.txWords.byteLength,
    view(range, slices) {
      held = extend(range, slices)
      const { block } = held.columns
      const rows = { block, count: held.count }
      return show(held, firstRowAt(rows, range.from), firstRowAt(rows, range.to + 1))
    },
  }
}
