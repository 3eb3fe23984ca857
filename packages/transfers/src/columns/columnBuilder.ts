import type { BlockRange, Hex, TransferColumns } from '../types.ts'
import type { AddressTable } from './addressTable.ts'
import { SUPPLY_LOG } from './columns.ts'

/** Block of a log, with the hash that the log states. */
export type EndBlock = { readonly number: number; readonly hash: Hex }

/** Blocks of the first and last decoded row; null if there is none, or the log states no hash. */
export type EndBlocks = { readonly first: EndBlock | null; readonly last: EndBlock | null }

/** Numbers of logs that are no rows: transfers of ERC-721, and transfers that do not index their addresses. */
export type SkippedLogs = { readonly nft: number; readonly unindexed: number }

/** Rows whose addresses are interned at a time. */
const BATCH = 128

/** Collects decoded rows. Addresses become ordinals of its table. */
export type ColumnBuilder = {
  readonly addresses: AddressTable
  /** Rows so far. */
  count(): number
  /** Removes all but the first `rows` rows. Interned addresses stay. */
  truncate(rows: number): void
  /** Returns the ordinal of a transaction: the current one if the hash is the same, otherwise a new one. */
  startTx(hash: Int32Array): number
  /**
   * Adds a row. Its 13 words are the sender, the recipient and the lower 96 bits of the value, highest first:
   * the engine keeps 32-bit words out of the heap. A value above 96 bits comes as `wide`, with zeros as words.
   * The index of a deposit or withdrawal is marked with `SUPPLY_LOG`.
   */
  push(block: number, logIndex: number, tx: number, words: Int32Array, wide: bigint | null): void
  /** Whether the rows from `row` on lie within the range and ascend strictly by block and log index. */
  isOrdered(row: number, range: BlockRange): boolean
  /** Counts a log that is no row. */
  skip(kind: keyof SkippedLogs): void
  /** Logs skipped since the last `truncate`. */
  skipped(): SkippedLogs
  /** Returns the rows as columns. The builder must not be used afterwards. */
  finish(): TransferColumns
}

function doubled<T extends Uint32Array | Float64Array>(column: T, make: (length: number) => T): T {
  const larger = make(column.length * 2)
  larger.set(column)
  return larger
}
const u32 = (length: number) => new Uint32Array(length)
const f64 = (length: number) => new Float64Array(length)

/** Creates a builder. `expected` is the initial capacity in rows. */
export function createColumnBuilder(addresses: AddressTable, expected = 1024): ColumnBuilder {
  let capacity = Math.max(16, expected)
  let block = u32(capacity)
  let logIndex = u32(capacity)
  let tx = u32(capacity)
  let from = u32(capacity)
  let to = u32(capacity)
  let valueLow = f64(capacity)
  let valueHigh = f64(capacity)
  let txWords = u32(Math.max(16, expected) * 8)
  const wideValues = new Map<number, bigint>()
  // Address words of the newest rows, not interned yet.
  const waiting = new Int32Array(BATCH * 10)
  const ordinals = new Uint32Array(BATCH * 2)
  let lookedUp = 0
  let count = 0
  let txCount = 0
  let skipped = { nft: 0, unindexed: 0 }

  const lookUp = () => {
    const rows = count - lookedUp
    addresses.internAll(waiting, rows * 2, ordinals)
    for (let i = 0; i < rows; i++) {
      from[lookedUp + i] = ordinals[i * 2] as number
      to[lookedUp + i] = ordinals[i * 2 + 1] as number
    }
    lookedUp = count
  }

  const growRows = () => {
    block = doubled(block, u32)
    logIndex = doubled(logIndex, u32)
    tx = doubled(tx, u32)
    from = doubled(from, u32)
    to = doubled(to, u32)
    valueLow = doubled(valueLow, f64)
    valueHigh = doubled(valueHigh, f64)
    capacity *= 2
  }

  return {
    addresses,
    count: () => count,
    truncate(rows) {
      lookUp()
      lookedUp = rows
      for (const row of wideValues.keys()) if (row >= rows) wideValues.delete(row)
      count = rows
      skipped = { nft: 0, unindexed: 0 }
      txCount = rows === 0 ? 0 : (tx[rows - 1] ?? 0) + 1
    },
    startTx(hash) {
      const last = (txCount - 1) * 8
      let same = last >= 0
      for (let i = 0; same && i < 8; i++) same = ((txWords[last + i] as number) | 0) === hash[i]
      if (same) return txCount - 1
      const at = txCount * 8
      if (at + 8 > txWords.length) txWords = doubled(txWords, u32)
      txWords.set(hash, at)
      return txCount++
    },
    push(inBlock, index, inTx, words, wide) {
      if (count - lookedUp === BATCH) lookUp()
      if (count === capacity) growRows()
      const at = (count - lookedUp) * 10
      for (let i = 0; i < 10; i++) waiting[at + i] = words[i] as number
      const middle = words[11] as number
      block[count] = inBlock
      logIndex[count] = index
      tx[count] = inTx
      valueLow[count] = (middle & 0xffff) * 4_294_967_296 + ((words[12] as number) >>> 0)
      valueHigh[count] = ((words[10] as number) >>> 0) * 65_536 + (middle >>> 16)
      if (wide !== null) wideValues.set(count, wide)
      count++
    },
    isOrdered(row, range) {
      let lastBlock = range.from
      let lastIndex = -1
      for (let i = row; i < count; i++) {
        const at = block[i] ?? 0
        const index = (logIndex[i] ?? 0) % SUPPLY_LOG
        if (at < lastBlock || at > range.to || (at === lastBlock && index <= lastIndex)) return false
        lastBlock = at
        lastIndex = index
      }
      return true
    },
    skip(kind) {
      skipped[kind]++
    },
    skipped: () => skipped,
    finish() {
      lookUp()
      return {
        count,
        block,
        logIndex,
        tx,
        from,
        to,
        valueLow,
        valueHigh,
        wideValues,
        addressWords: addresses.words(),
        addressCount: addresses.count(),
        txWords,
        txCount,
      }
    },
  }
}
