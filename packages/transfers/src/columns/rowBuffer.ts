import type { BlockRange, TransferColumns } from '../types.ts'
import type { AddressTable } from './addressTable.ts'
import {
  appendSlice,
  columnBytes,
  createRowStore,
  firstRowAt,
  hasRoom,
  type RowStore,
  type Slice,
  sizeOfSlices,
  viewRows,
} from './rowStore.ts'

/** Contiguous rows of a busy series, so that a window of them is a view instead of a copy. */
export type RowBuffer = {
  /** Returns the rows of a range. `slices` must hold all of them. */
  view(range: BlockRange, slices: readonly Slice[]): TransferColumns
  /** Clears the buffer after its newest rows were replaced. Views returned before stay valid. */
  drop(): void
  bytes(): number
}

type Held = {
  readonly store: RowStore
  /** First block of which all rows are held. */
  readonly from: number
  /** Lowest block requested since the rows were last moved. */
  asked: number
}

/** Share of extra room, for rows to come. */
const SPARE = 0.25

/** Creates an empty buffer. */
export function createRowBuffer(addresses: AddressTable): RowBuffer {
  let held: Held | null = null

  const rebuild = (from: number, slices: readonly Slice[]): Held => {
    const { rows, txs } = sizeOfSlices(slices)
    const store = createRowStore(Math.ceil(rows * (1 + SPARE)), Math.ceil(txs * (1 + SPARE)))
    for (const slice of slices) appendSlice(store, slice)
    return { store, from, asked: from }
  }
  const sliceFrom = (store: RowStore, from: number): Slice => {
    const columns = viewRows(store, 0, store.count, addresses)
    return { columns, from: firstRowAt(columns, from), to: store.count }
  }

  const extend = (range: BlockRange, slices: readonly Slice[]): Held => {
    const last = held === null ? -1 : (held.store.columns.block[held.store.count - 1] ?? -1)
    if (held === null || held.from > range.from || range.from > last + 1) return rebuild(range.from, slices)
    const newer = slices
      .map((slice) => ({ ...slice, from: Math.max(slice.from, firstRowAt(slice.columns, last + 1)) }))
      .filter(({ from, to }) => from < to)
    const { rows, txs } = sizeOfSlices(newer)
    held.asked = Math.min(held.asked, range.from)
    if (!hasRoom(held.store, rows, txs))
      return rebuild(held.asked, [sliceFrom(held.store, held.asked), ...newer])
    for (const slice of newer) appendSlice(held.store, slice)
    return held
  }

  return {
    drop() {
      held = null
    },
    bytes: () => (held === null ? 0 : columnBytes(held.store.columns)),
    view(range, slices) {
      held = extend(range, slices)
      const { columns, count } = held.store
      const rows = { block: columns.block, count }
      return viewRows(held.store, firstRowAt(rows, range.from), firstRowAt(rows, range.to + 1), addresses)
    },
  }
}
