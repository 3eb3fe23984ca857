import type { BlockRange, Hex, TransferColumns } from '../types.ts'
import type { AddressTable } from './addressTable.ts'
import { SUPPLY_LOG, wordsToHex } from './columns.ts'
import { appendSlice, createRowStore, viewRows } from './rowStore.ts'

/** Block of a log, with the hash that the log states. */
export type EndBlock = { readonly number: number; readonly hash: Hex }

/** Blocks of the first and last row; null if there is none, or the log states no hash. */
export type EndBlocks = { readonly first: EndBlock | null; readonly last: EndBlock | null }

/** Offsets in `LogRow.words`. */
export const SENDER = 0
export const RECIPIENT = 5
export const VALUE = 10
export const TX_HASH = 18
export const BLOCK_HASH = 26
export const ROW_WORDS = 34

/** One decoded log. Decoders reuse the object for the next one. */
export type LogRow = {
  block: number
  /** Index within the block. That of a deposit or withdrawal is marked with `SUPPLY_LOG`. */
  logIndex: number
  /** Big-endian signed 32-bit words, which the engine keeps out of the heap. Without a block hash, its words are 0. */
  readonly words: Int32Array
}

/** Rows whose addresses are interned at a time. */
const BATCH = 128

/** Collects decoded rows. Addresses become ordinals of its table. */
export type ColumnBuilder = {
  push(row: LogRow): void
  /** Whether the rows lie within the range and ascend strictly by block and log index. */
  isOrdered(range: BlockRange): boolean
  ends(): EndBlocks
  /** Returns the rows as columns. The builder must not be used afterwards. */
  finish(): TransferColumns
}

function endOf(number: number, hash: Int32Array): EndBlock | null {
  return hash.every((word) => word === 0) ? null : { number, hash: wordsToHex(hash, 0, 8) }
}

/** Returns the value, which must exceed 96 bits, or null. */
function wideValueOf(words: Int32Array): bigint | null {
  for (let i = VALUE; i < VALUE + 5; i++) if (words[i] !== 0) return BigInt(wordsToHex(words, VALUE, 8))
  return null
}

/** Creates a builder. `expected` is the initial capacity in rows. */
export function createColumnBuilder(addresses: AddressTable, expected = 1024): ColumnBuilder {
  let store = createRowStore(expected, expected)
  // Address words of the newest rows, not interned yet.
  const waiting = new Int32Array(BATCH * 10)
  const ordinals = new Uint32Array(BATCH * 2)
  let lookedUp = 0
  let first: EndBlock | null = null
  const lastHash = new Int32Array(8)

  const lookUp = () => {
    const rows = store.count - lookedUp
    addresses.internAll(waiting, rows * 2, ordinals)
    for (let i = 0; i < rows; i++) {
      store.columns.from[lookedUp + i] = ordinals[i * 2] as number
      store.columns.to[lookedUp + i] = ordinals[i * 2 + 1] as number
    }
    lookedUp = store.count
  }
  const grow = () => {
    lookUp()
    const larger = createRowStore(store.count * 2, store.count * 2)
    appendSlice(larger, { columns: viewRows(store, 0, store.count, addresses), from: 0, to: store.count })
    store = larger
  }
  /** Returns the ordinal of a row's transaction: the newest one if the hash is the same, otherwise a new one. */
  const txOf = (words: Int32Array): number => {
    const { txWords } = store.columns
    const newest = (store.txCount - 1) * 8
    let same = newest >= 0
    for (let i = 0; same && i < 8; i++) same = ((txWords[newest + i] as number) | 0) === words[TX_HASH + i]
    if (same) return store.txCount - 1
    for (let i = 0; i < 8; i++) txWords[newest + 8 + i] = words[TX_HASH + i] as number
    return store.txCount++
  }

  return {
    push(row) {
      const { words } = row
      if (store.count - lookedUp === BATCH) lookUp()
      if (store.count === store.columns.block.length) grow()
      const { count, columns } = store
      const at = (count - lookedUp) * 10
      for (let i = 0; i < 10; i++) waiting[at + i] = words[i] as number
      columns.block[count] = row.block
      columns.logIndex[count] = row.logIndex
      columns.tx[count] = txOf(words)
      const wide = wideValueOf(words)
      if (wide === null) {
        const middle = words[VALUE + 6] as number
        columns.valueLow[count] = (middle & 0xffff) * 4_294_967_296 + ((words[VALUE + 7] as number) >>> 0)
        columns.valueHigh[count] = ((words[VALUE + 5] as number) >>> 0) * 65_536 + (middle >>> 16)
      } else store.wideValues.set(count, wide)
      for (let i = 0; i < 8; i++) lastHash[i] = words[BLOCK_HASH + i] as number
      if (count === 0) first = endOf(row.block, lastHash)
      store.count++
    },
    isOrdered(range) {
      const { block, logIndex } = store.columns
      let lastBlock = range.from
      let lastIndex = -1
      for (let row = 0; row < store.count; row++) {
        const at = block[row] ?? 0
        const index = (logIndex[row] ?? 0) % SUPPLY_LOG
        if (at < lastBlock || at > range.to || (at === lastBlock && index <= lastIndex)) return false
        lastBlock = at
        lastIndex = index
      }
      return true
    },
    ends: () => ({ first, last: endOf(store.columns.block[store.count - 1] ?? 0, lastHash) }),
    finish() {
      lookUp()
      return { ...viewRows(store, 0, store.count, addresses), ...store.columns }
    },
  }
}
