import {
  checkValue,
  type EntryTerms,
  isUnknown,
  type MapEntry,
  type MapOffer,
  NO_ROW,
  RECORD_BYTES,
  readRows,
  readValue,
} from './mapEntry.ts'
import { MapFormatError } from './mapError.ts'
import { KEY_BYTES } from './mapKey.ts'
import { decodeRow, readList, readPrice, readReceiver, readTermClass } from './mapRows.ts'

/** A parsed body. */
export type MapBody = {
  readonly bytes: Uint8Array
  readonly entries: number
  /** No entry expires before this slot. */
  readonly baseSlot: number
  /** Keys and values in the order of the keys, {@link RECORD_BYTES} each. */
  readonly records: Uint8Array
  /** Where each row begins. */
  readonly rowAt: Uint32Array
  /** Whether it may hold listed templates: the marker of one is an entry without a verdict. */
  readonly hasShapes: boolean
}

/** First bytes of every body: `TSM2`. */
export const BODY_MAGIC = 0x54534d32
/** Magic, base slot, number of entries and of rows, and for each first byte of a key the number of keys up to it. */
export const START_BYTES = 16 + 4 * 256
/** Bytes of a record in a body, which does without the first byte of its key. */
export const PACKED_BYTES = RECORD_BYTES - 1

/**
 * Parses a body and checks all of its numbers. Memory is bounded by a multiple of its length.
 * @throws MapFormatError
 */
export function readMapBody(bytes: Uint8Array): MapBody {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  if (bytes.length < START_BYTES || view.getUint32(0) !== BODY_MAGIC) throw new MapFormatError('title')
  const [baseSlot, entries, rows] = [view.getUint32(4), view.getUint32(8), view.getUint32(12)]
  const rowsAt = START_BYTES + PACKED_BYTES * entries
  // A row has two bytes at least.
  if (rowsAt + 2 * rows > bytes.length) throw new MapFormatError('entries')
  const records = new Uint8Array(RECORD_BYTES * entries)
  let hasShapes = false
  let made = 0
  for (let first = 0; first < 256; first++) {
    const until = view.getUint32(16 + 4 * first)
    if (until < made || until > entries) throw new MapFormatError('keys')
    for (; made < until; made++) {
      const [at, from] = [RECORD_BYTES * made, START_BYTES + PACKED_BYTES * made]
      records[at] = first
      for (let part = 0; part < PACKED_BYTES; part++) records[at + 1 + part] = bytes[from + part] as number
      // Equal keys are allowed: both are unknown then.
      if (made > 0 && compareKeys(records, made - 1, records, at) > 0) throw new MapFormatError('keys')
      checkValue(records, at + KEY_BYTES, rows)
      hasShapes = hasShapes || isUnknown(records, at + KEY_BYTES)
    }
  }
  if (made !== entries) throw new MapFormatError('keys')
  const rowAt = new Uint32Array(rows)
  let at = rowsAt
  for (let row = 0; row < rows; row++) {
    if (at + 2 > bytes.length) throw new MapFormatError('rows')
    rowAt[row] = at
    at += 2 + view.getUint16(at)
  }
  if (at !== bytes.length) throw new MapFormatError('end')
  return { bytes, entries, baseSlot, records, rowAt, hasShapes }
}

/** Compares the key of a record with one that stands elsewhere. */
export function compareKeys(records: Uint8Array, index: number, keys: Uint8Array, at = 0): number {
  for (let part = 0; part < KEY_BYTES; part++) {
    const difference = (records[RECORD_BYTES * index + part] as number) - (keys[at + part] as number)
    if (difference !== 0) return difference
  }
  return 0
}

/** Returns the index of the first record whose key is not below another. */
export function lowerBound(records: Uint8Array, key: Uint8Array, from = 0): number {
  let low = from
  let high = records.length / RECORD_BYTES
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareKeys(records, middle, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the index of a key; undefined if the map does not hold it, or holds it twice. */
export function findKey({ records, entries }: MapBody, key: Uint8Array): number | undefined {
  const index = lowerBound(records, key)
  const isAt = (place: number) => place < entries && compareKeys(records, place, key) === 0
  return isAt(index) && !isAt(index + 1) ? index : undefined
}

/**
 * Reads the entry of an index.
 * @throws MapFormatError if one of its rows is malformed
 */
export function entryAt(body: MapBody, index: number): MapEntry {
  const at = RECORD_BYTES * index + KEY_BYTES
  const [first, second] = readRows(body.records, at)
  return readValue(body.records, at, body.baseSlot, termsOf(body, first, second))
}

function termsOf(body: MapBody, first: number, second: number): EntryTerms {
  if (first === NO_ROW) return { offers: [] }
  if (second !== NO_ROW) return { offers: [readOffer(body, first, second)] }
  const { hosts, offers, delivered } = readList(decodeRow(rowOf(body, first)))
  return {
    resourceHosts: hosts.length > 0 ? hosts : undefined,
    delivered,
    offers: offers.map(([receiver, price]) => readOffer(body, receiver, price)),
  }
}

function readOffer(body: MapBody, receiver: number, price: number): MapOffer {
  const { scheme, network, asset, method, amountAtomicMin, amountAtomicMax } = pricedOf(body, price)
  const payTo = readReceiver(decodeRow(rowOf(body, receiver)))
  return { scheme, network, asset, payTo, method, amountAtomicMin, amountAtomicMax }
}

type Priced = Omit<MapOffer, 'payTo'>

// Few prices serve most entries, and decoding their texts costs more than the rest of a look-up.
const decoded = new WeakMap<Uint8Array, Map<number, Priced>>()

function pricedOf(body: MapBody, row: number): Priced {
  const known = decoded.get(body.bytes) ?? new Map<number, Priced>()
  decoded.set(body.bytes, known)
  const found = known.get(row)
  if (found !== undefined) return found
  const { class: number, ...amounts } = readPrice(decodeRow(rowOf(body, row)))
  const priced = { ...readTermClass(decodeRow(rowOf(body, number))), ...amounts }
  known.set(row, priced)
  return priced
}

/** Returns one row. @throws MapFormatError if there is none */
export function rowOf({ bytes, rowAt }: MapBody, row: number): Uint8Array {
  const at = rowAt[row]
  if (at === undefined) throw new MapFormatError('rows')
  return bytes.subarray(at + 2, at + 2 + ((bytes[at] as number) << 8) + (bytes[at + 1] as number))
}
