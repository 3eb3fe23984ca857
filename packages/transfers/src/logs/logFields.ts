import { octetOf, quadOf, readQuantity, UNEXPECTED } from './hexBytes.ts'
import { skipSpace, skipString, skipValue } from './jsonScan.ts'

/** Offsets of the fields of one log, each of the first hex digit after `0x`. `block` and `logIndex` are values. */
export type LogFields = {
  topics: number
  topic0: number
  topic1: number
  topic2: number
  data: number
  dataLength: number
  block: number
  logIndex: number
  txHash: number
  blockHash: number
  address: number
  removed: boolean
}

/** Creates fields that are all missing. */
export function createLogFields(): LogFields {
  return {
    topics: -1,
    topic0: -1,
    topic1: -1,
    topic2: -1,
    data: -1,
    dataLength: -1,
    block: -1,
    logIndex: -1,
    txHash: -1,
    blockHash: -1,
    address: -1,
    removed: false,
  }
}

/** A value in a log that differs from log to log. */
export type Kind =
  | 'topic0'
  | 'topic1'
  | 'topic2'
  | 'data'
  | 'txHash'
  | 'blockHash'
  | 'block'
  | 'logIndex'
  | 'other'

/** Receives each changing value, in order, with the offsets of its text. */
export type NoteValue = (kind: Kind, from: number, to: number) => void

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN = 0x7b
const CLOSE = 0x7d
const ZERO_X = 0x7830
const TRUE = quadOf('true')
const FALS = quadOf('fals')
const TOPIC_KINDS = ['topic0', 'topic1', 'topic2'] as const

const ADDR = quadOf('addr')
const RESS = quadOf('ress')
const TOPI = quadOf('topi')
const PICS = quadOf('pics')
const DATA = quadOf('data')
const BLOCK_NUM = octetOf('blockNum')
const MBER = quadOf('mber')
const BLOCK_HAS = octetOf('blockHas')
const LOCKHASH = octetOf('lockHash')
const LOG_INDEX = octetOf('logIndex')
const TRANSACT = octetOf('transact')
const TION_HASH = octetOf('tionHash')
const REMO = quadOf('remo')
const OVED = quadOf('oved')

type Key =
  | 'address'
  | 'topics'
  | 'data'
  | 'blockNumber'
  | 'blockHash'
  | 'logIndex'
  | 'transactionHash'
  | 'removed'
  | null

function keyOf(view: DataView, at: number, length: number): Key {
  const quad = (offset: number) => view.getUint32(at + offset, true)
  const octet = (offset: number) => view.getFloat64(at + offset, true)
  switch (length) {
    case 4:
      return quad(0) === DATA ? 'data' : null
    case 6:
      return quad(0) === TOPI && quad(2) === PICS ? 'topics' : null
    case 7:
      if (quad(0) === ADDR && quad(3) === RESS) return 'address'
      return quad(0) === REMO && quad(3) === OVED ? 'removed' : null
    case 8:
      return octet(0) === LOG_INDEX ? 'logIndex' : null
    case 9:
      return octet(0) === BLOCK_HAS && octet(1) === LOCKHASH ? 'blockHash' : null
    case 11:
      return octet(0) === BLOCK_NUM && quad(7) === MBER ? 'blockNumber' : null
    case 15:
      return octet(0) === TRANSACT && octet(7) === TION_HASH ? 'transactionHash' : null
    default:
      return null
  }
}

/** Finds the fields of the log at `start`, in any layout, and returns the offset after it. @throws UnexpectedBytes */
export function scanLog(
  bytes: Uint8Array,
  view: DataView,
  start: number,
  fields: LogFields,
  note: NoteValue,
): number {
  Object.assign(fields, createLogFields())
  /** Checks the opening of a quoted hex value and returns its first digit. */
  const hexAt = (at: number): number => {
    if (bytes[at] !== QUOTE || view.getUint16(at + 1, true) !== ZERO_X) throw UNEXPECTED
    return at + 3
  }
  const fixedHex = (at: number, digits: number): number => {
    const from = hexAt(at)
    if (bytes[from + digits] !== QUOTE || skipString(bytes, from) !== from + digits + 1) throw UNEXPECTED
    return from
  }
  const scanTopics = (at: number): number => {
    if (bytes[at] !== OPEN_LIST) throw UNEXPECTED
    let next = skipSpace(bytes, at + 1)
    fields.topics = 0
    while (bytes[next] !== CLOSE_LIST) {
      if (fields.topics > 0) {
        if (bytes[next] !== COMMA) throw UNEXPECTED
        next = skipSpace(bytes, next + 1)
      }
      const from = fixedHex(next, 64)
      const kind = TOPIC_KINDS[fields.topics]
      if (kind !== undefined) fields[kind] = from
      note(kind ?? 'other', from, from + 64)
      fields.topics++
      next = skipSpace(bytes, from + 65)
    }
    return next + 1
  }
  const scanValue = (key: Key, at: number): number => {
    if (key === 'topics') return scanTopics(at)
    if (key === 'removed') {
      const end = skipValue(bytes, at)
      const value = view.getUint32(at, true)
      if (value !== TRUE && value !== FALS) throw UNEXPECTED
      fields.removed = value === TRUE
      return end
    }
    if (key === 'address') {
      fields.address = fixedHex(at, 40)
      return fields.address + 41
    }
    if (key === 'transactionHash' || key === 'blockHash') {
      const from = fixedHex(at, 64)
      const kind = key === 'blockHash' ? key : 'txHash'
      fields[kind] = from
      note(kind, from, from + 64)
      return from + 65
    }
    if (key === 'data' || key === 'blockNumber' || key === 'logIndex') {
      const from = hexAt(at)
      const end = skipString(bytes, from)
      const kind = key === 'blockNumber' ? 'block' : key
      fields[kind] = key === 'data' ? from : readQuantity(bytes, from)
      if (fields[kind] < 0) throw UNEXPECTED
      if (key === 'data') fields.dataLength = end - 1 - from
      note(kind, from, end - 1)
      return end
    }
    if (bytes[at] !== QUOTE) return skipValue(bytes, at)
    const end = skipString(bytes, at + 1)
    note('other', at + 1, end - 1)
    return end
  }
  if (bytes[start] !== OPEN) throw UNEXPECTED
  let at = start + 1
  for (;;) {
    at = skipSpace(bytes, at)
    if (bytes[at] !== QUOTE) throw UNEXPECTED
    const key = at + 1
    at = skipString(bytes, key)
    const length = at - 1 - key
    // An escaped key could be any key.
    for (let i = key; i < key + length; i++) if (bytes[i] === 0x5c) throw UNEXPECTED
    at = skipSpace(bytes, at)
    if (bytes[at] !== COLON) throw UNEXPECTED
    at = scanValue(keyOf(view, key, length), skipSpace(bytes, at + 1))
    at = skipSpace(bytes, at)
    const after = bytes[at++]
    if (after === CLOSE) return at
    if (after !== COMMA) throw UNEXPECTED
  }
}
