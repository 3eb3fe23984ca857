import { isRecord } from '../../base64Json.ts'
import { MapFormatError } from '../mapError.ts'
import { KEY_BYTES } from '../mapKey.ts'

// The reading rules of guard releases for score 1.2.0, frozen: every map that is served must stay readable to them.

/** Terms of an offer as the service measured them. */
type MapOffer = {
  scheme: string
  /** CAIP-2. */
  network: string
  asset: string
  payTo: string
  method: string
  amountAtomicMin: string
  amountAtomicMax: string
}

/** Map entry of an endpoint. */
type MapEntry = {
  verdict: 'safe' | 'caution' | 'avoid' | 'unknown'
  /** 0-100; absent if nothing was measured. */
  score?: number | undefined
  riskLevel: 'clean' | 'low' | 'medium' | 'high' | 'unknown'
  receiverStability: 'new' | 'stable' | 'changed' | null
  /** Whether the verdict rests on fewer than 3 probes. */
  isThin: boolean
  /** Whether the seller uses another receiver for each payment. */
  rotates: boolean
  /** Expiry in units of {@link SLOT_MS} since 1970. */
  expirySlot: number
  /** Other hosts that the resource of a challenge may name. */
  resourceHosts?: readonly string[] | undefined
  offers: readonly MapOffer[]
}

/** Most offers of an entry. */
const MAX_OFFERS = 64

const VERDICTS = ['safe', 'caution', 'avoid', 'unknown'] as const
const RISKS = ['clean', 'low', 'medium', 'high', 'unknown'] as const
const STABILITIES = [null, 'new', 'stable', 'changed'] as const
const NO_SCORE = 127
const SLOTS = 256

/**
 * Bytes of a value: two of a verdict, one of its expiry, and two numbers of rows of three bytes each: receiver and price
 * of the only offer; or the row of a list and {@link NO_ROW}; or twice `NO_ROW` without any offer.
 */
const VALUE_BYTES = 9
/** Bytes of a record: a key and its value. */
const RECORD_BYTES = KEY_BYTES + VALUE_BYTES
/** Stands for no row; numbers of rows are below. */
const NO_ROW = 0xffffff
const ROWS_AT = 3

/**
 * Checks a value.
 * @param rows number of rows that there are
 * @throws MapFormatError
 */
function checkValue(bytes: Uint8Array, at: number, rows: number): void {
  const score = (bytes[at + 1] as number) & 0x7f
  if ((((bytes[at] as number) >> 2) & 7) >= RISKS.length) throw new MapFormatError('risk level')
  if (score > 100 && score !== NO_SCORE) throw new MapFormatError('score')
  for (const part of [0, 3]) {
    const row = readNumber(bytes, at + ROWS_AT + part)
    if (row >= rows && row !== NO_ROW) throw new MapFormatError('rows')
  }
}

/** Whether a value has no verdict. */
function isUnknown(bytes: Uint8Array, at: number): boolean {
  return VERDICTS[(bytes[at] as number) & 3] === 'unknown'
}

/** Terms of an entry, which its rows hold. */
type EntryTerms = Pick<MapEntry, 'offers' | 'resourceHosts'>

/** Reads a value, all but its rows. @param baseSlot the earliest slot that the byte of the expiry can mean */
function readValue(
  bytes: Uint8Array,
  at: number,
  baseSlot: number,
  { offers, resourceHosts }: EntryTerms,
): MapEntry {
  const [first, second] = [bytes[at] as number, bytes[at + 1] as number]
  const score = second & 0x7f
  return {
    verdict: VERDICTS[first & 3] ?? 'unknown',
    riskLevel: RISKS[(first >> 2) & 7] ?? 'unknown',
    receiverStability: STABILITIES[(first >> 5) & 3] ?? null,
    isThin: first >= 0x80,
    score: score === NO_SCORE ? undefined : score,
    rotates: second >= 0x80,
    expirySlot: readSlot(bytes, at, baseSlot),
    resourceHosts,
    offers,
  }
}

/** Reads the slot of a value: the first at or after the base with its remainder. */
function readSlot(bytes: Uint8Array, at: number, baseSlot: number): number {
  return baseSlot + (((bytes[at + 2] as number) - (baseSlot % SLOTS) + SLOTS) % SLOTS)
}

/** Reads the numbers of rows of a value. */
function readRows(bytes: Uint8Array, at: number): [number, number] {
  return [readNumber(bytes, at + ROWS_AT), readNumber(bytes, at + ROWS_AT + 3)]
}

/** Reads a number of three bytes, the most significant first. */
function readNumber(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)
}

/** Terms shared by offers of many sellers. */
type TermClass = Pick<MapOffer, 'scheme' | 'network' | 'asset' | 'method'>
/** The least and the greatest amount under one class of terms, by the row of the class. */
type PriceRow = Pick<MapOffer, 'amountAtomicMin' | 'amountAtomicMax'> & { class: number }
/** Several offers, by the rows of their receivers and prices, and other hosts of the resource. */
type ListRow = { hosts: readonly string[]; offers: readonly (readonly [number, number])[] }

const MAX_HOSTS = 64
const ADDRESS_BYTES = 20
const AMOUNT = /^(0|[1-9][0-9]{0,132})$/
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Returns bytes as hexadecimal digits. */
function toHex(bytes: Uint8Array): string {
  let digits = ''
  for (const byte of bytes) digits += HEX[byte]
  return digits
}

/** Decodes a row: the address of an EVM chain if it has 20 bytes, else JSON. @throws MapFormatError */
function decodeRow(bytes: Uint8Array): string {
  return bytes.length === ADDRESS_BYTES
    ? `0x${toHex(bytes)}`
    : refuseOr(() => decoder.decode(bytes).trimEnd())
}

/** @throws MapFormatError */
function readReceiver(row: string): string {
  if (row.startsWith('0x')) return row
  const payTo = parse(row)
  if (typeof payTo !== 'string') throw new MapFormatError('receivers')
  return payTo
}

/** @throws MapFormatError */
function readTermClass(row: string): TermClass {
  const texts = parse(row)
  if (!isTexts(texts) || texts.length !== 4) throw new MapFormatError('classes')
  const [scheme, network, asset, method] = texts as [string, string, string, string]
  return { scheme, network, asset, method }
}

/** @throws MapFormatError */
function readPrice(row: string): PriceRow {
  const parts = parse(row)
  if (!Array.isArray(parts)) throw new MapFormatError('prices')
  const [number, least, most = least] = parts
  if (!isRow(number) || !isAmount(least) || !isAmount(most)) throw new MapFormatError('prices')
  return { class: number, amountAtomicMin: least, amountAtomicMax: most }
}

/** @throws MapFormatError */
function readList(row: string): ListRow {
  const list = parse(row)
  if (!isRecord(list)) throw new MapFormatError('lists')
  const { hosts, offers } = list
  if (!isTexts(hosts) || hosts.length > MAX_HOSTS) throw new MapFormatError('lists')
  if (!Array.isArray(offers) || offers.length > MAX_OFFERS || !offers.every(isPair)) {
    throw new MapFormatError('lists')
  }
  return { hosts, offers }
}

const parse = (row: string): unknown => refuseOr(() => JSON.parse(row))
const isRow = (value: unknown): value is number => Number.isInteger(value)
const isAmount = (value: unknown): value is string => typeof value === 'string' && AMOUNT.test(value)
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string')
const isPair = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every(isRow)

function refuseOr<T>(read: () => T): T {
  try {
    return read()
  } catch {
    throw new MapFormatError('rows')
  }
}

/** A parsed body. */
type MapBody = {
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
const BODY_MAGIC = 0x54534d32
/** Magic, base slot, number of entries and of rows, and for each first byte of a key the number of keys up to it. */
const START_BYTES = 16 + 4 * 256
/** Bytes of a record in a body, which does without the first byte of its key. */
const PACKED_BYTES = RECORD_BYTES - 1

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
function compareKeys(records: Uint8Array, index: number, keys: Uint8Array, at = 0): number {
  for (let part = 0; part < KEY_BYTES; part++) {
    const difference = (records[RECORD_BYTES * index + part] as number) - (keys[at + part] as number)
    if (difference !== 0) return difference
  }
  return 0
}

/** Returns the index of the first record whose key is not below another. */
function lowerBound(records: Uint8Array, key: Uint8Array, from = 0): number {
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
  const { hosts, offers } = readList(decodeRow(rowOf(body, first)))
  return {
    resourceHosts: hosts.length > 0 ? hosts : undefined,
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
function rowOf({ bytes, rowAt }: MapBody, row: number): Uint8Array {
  const at = rowAt[row]
  if (at === undefined) throw new MapFormatError('rows')
  return bytes.subarray(at + 2, at + 2 + ((bytes[at] as number) << 8) + (bytes[at + 1] as number))
}
