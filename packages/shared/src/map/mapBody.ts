import { createByteReader } from './byteReader.ts'
import { isUnknown, type MapEntry, type MapOffer, type RowCounts, readEntry, skipEntry } from './mapEntry.ts'
import { MapFormatError } from './mapError.ts'
import { KEY_BYTES } from './mapKey.ts'
import { readPriceRow, readReceiver, readTermClass, readTexts, type TermClass } from './mapRows.ts'
import { readRiceHeads } from './riceHeads.ts'

/** Names of the tables, in the order in which they are stored. */
export const TABLES = ['classes', 'receivers', 'prices', 'sites'] as const
export type TableName = (typeof TABLES)[number]

/** A table of rows of bytes, by where the length of each stands. */
export type Table = { readonly count: number; readonly at: Uint32Array }

/** A parsed body. Keys are split into their first word, which is coded, and the other 12 bytes. */
export type MapBody = {
  readonly bytes: Uint8Array
  readonly entries: number
  /** No entry expires before this slot. */
  readonly baseSlot: number
  readonly tables: Readonly<Record<TableName, Table>>
  /** Ascending. */
  readonly heads: Uint32Array
  /** Where the rests of the keys begin. */
  readonly tailsAt: number
  /** Where each entry begins; one more for the end. */
  readonly valueAt: Uint32Array
  /** Whether it may hold listed templates: the marker of one is an entry without a verdict. */
  readonly hasShapes: boolean
}

export const TAIL_BYTES = KEY_BYTES - 4
const MAX_ENTRIES = 16_000_000
/** First bytes of every body. */
export const BODY_MAGIC = 'TSM1'
// Three bytes and the number of offers.
const LEAST_VALUE_BYTES = 4

/**
 * Parses a body and checks all of its numbers. Memory is bounded by a multiple of its length.
 * @throws MapFormatError
 */
export function readMapBody(bytes: Uint8Array): MapBody {
  const reader = createByteReader(bytes)
  if (new TextDecoder().decode(reader.take(BODY_MAGIC.length)) !== BODY_MAGIC)
    throw new MapFormatError('title')
  const entries = reader.varint()
  const baseSlot = reader.varint()
  if (entries > MAX_ENTRIES || entries * (TAIL_BYTES + LEAST_VALUE_BYTES) > reader.left()) {
    throw new MapFormatError('entries')
  }
  const [classes, receivers, prices, sites] = [readTable(), readTable(), readTable(), readTable()]
  const heads = readRiceHeads(reader.take(reader.varint()), entries)
  const tailsAt = reader.at
  reader.take(TAIL_BYTES * entries)
  const rows: RowCounts = { receivers: receivers.count, prices: prices.count, sites: sites.count }
  const valueAt = new Uint32Array(entries + 1)
  let hasShapes = false
  for (let index = 0; index < entries; index++) {
    valueAt[index] = reader.at
    hasShapes = isUnknown(bytes[reader.at]) || hasShapes
    skipEntry(reader, rows)
  }
  valueAt[entries] = reader.at
  if (reader.left() > 0) throw new MapFormatError('end')
  const body = {
    bytes,
    entries,
    baseSlot,
    tables: { classes, receivers, prices, sites },
    heads,
    tailsAt,
    valueAt,
    hasShapes,
  }
  checkOrder(body)
  return body

  function readTable(): Table {
    const count = reader.varint()
    const length = reader.varint()
    if (count > length || length > reader.left()) {
      throw new MapFormatError('rows')
    }
    const end = reader.at + length
    const at = new Uint32Array(count)
    for (let row = 0; row < count; row++) {
      at[row] = reader.at
      reader.take(reader.varint())
    }
    if (reader.at !== end) throw new MapFormatError('rows')
    return { count, at }
  }
}

// Equal keys are allowed: both are unknown then.
function checkOrder({ bytes, heads, tailsAt, entries }: MapBody): void {
  for (let index = 1; index < entries; index++) {
    if (heads[index] !== heads[index - 1]) continue
    const at = tailsAt + TAIL_BYTES * index
    if (compareBytes(bytes, at - TAIL_BYTES, bytes, at, TAIL_BYTES) > 0) throw new MapFormatError('keys')
  }
}

/** Compares bytes of two arrays, as unsigned numbers in reading order. */
export function compareBytes(a: Uint8Array, aAt: number, b: Uint8Array, bAt: number, length: number): number {
  for (let index = 0; index < length; index++) {
    const difference = (a[aAt + index] as number) - (b[bAt + index] as number)
    if (difference !== 0) return difference
  }
  return 0
}

/** Returns the first word of a key. */
export function headOf(key: Uint8Array): number {
  const [a, b, c, d] = [key[0], key[1], key[2], key[3]] as [number, number, number, number]
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
}

/** Returns the index of a key; undefined if the map does not hold it, or holds it twice. */
export function findKey(body: MapBody, key: Uint8Array): number | undefined {
  const { bytes, heads, tailsAt, entries } = body
  const head = headOf(key)
  let low = 0
  let high = entries
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((heads[middle] as number) < head) low = middle + 1
    else high = middle
  }
  let found: number | undefined
  for (; low < entries && heads[low] === head; low++) {
    if (compareBytes(bytes, tailsAt + TAIL_BYTES * low, key, 4, TAIL_BYTES) !== 0) continue
    if (found !== undefined) return undefined
    found = low
  }
  return found
}

/**
 * Reads the entry of an index.
 * @throws MapFormatError if one of its table rows is malformed
 */
export function entryAt(body: MapBody, index: number): MapEntry {
  const { bytes, valueAt, baseSlot, tables } = body
  const coded = readEntry(createByteReader(bytes, valueAt[index]), baseSlot)
  // Named one by one: a rest of an object takes longer than all else here.
  const { site, verdict, score, riskLevel, receiverStability, isThin, rotates, expirySlot } = coded
  const resourceHosts = site === undefined ? undefined : readTexts(rowOf(bytes, tables.sites, site))
  const offers = coded.offers.map(({ receiver, price }): MapOffer => {
    const { class: row, amountAtomicMin, amountAtomicMax } = readPriceRow(rowOf(bytes, tables.prices, price))
    const payTo = readReceiver(rowOf(bytes, tables.receivers, receiver))
    const { scheme, network, asset, method } = classOf(body, row)
    return { scheme, network, asset, payTo, method, amountAtomicMin, amountAtomicMax }
  })
  return { verdict, score, riskLevel, receiverStability, isThin, rotates, expirySlot, resourceHosts, offers }
}

// Few classes serve all entries, and decoding their texts costs more than the rest of a look-up.
const decoded = new WeakMap<Uint8Array, Map<number, TermClass>>()

function classOf({ bytes, tables }: MapBody, row: number): TermClass {
  const known = decoded.get(bytes) ?? new Map<number, TermClass>()
  decoded.set(bytes, known)
  const found = known.get(row) ?? readTermClass(rowOf(bytes, tables.classes, row))
  known.set(row, found)
  return found
}

/** Returns one row. @throws MapFormatError if there is none */
export function rowOf(bytes: Uint8Array, { at, count }: Table, row: number): Uint8Array {
  if (row >= count) throw new MapFormatError('rows')
  const reader = createByteReader(bytes, at[row])
  return reader.take(reader.varint())
}
