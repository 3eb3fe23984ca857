import { BLOCK_HASH, type LogRow, ROW_WORDS, TX_HASH, VALUE } from '../columns/columnBuilder.ts'
import { SUPPLY_LOG } from '../columns/columns.ts'
import { EVENT_PARTIES, TRANSFER_TOPIC } from './decodeJson.ts'

/**
 * Layout of the text of a log, matched against the next ones.
 *
 * A node formats all its logs alike: the same literal text between changing values. Comparing the literals eight
 * bytes at a time is several times faster than JSON.parse.
 */
export type LogLayout = {
  /** Topic 0 of the logs. */
  readonly event: string
  /** The log that matched last. */
  readonly row: LogRow
  /**
   * Fills `row` if the log at `start` has the layout. Returns the offset after it, or -1. Bytes after the log are looked at
   * where it is cut: the caller compares the offset with the end of what it has.
   */
  match(bytes: Buffer, view: DataView, start: number): number
}

/** Values that are no hex words: their places in a step. */
const BLOCK = -1
const LOG_INDEX = -2
const OTHER = -3
const END = -4

/** A value in the text of a log: `words` hex words for `place` of the row, or one of the above. */
type Value = { readonly place: number; readonly words: number }

/** A literal part of the learned text, and the value after it. */
type Step = Value & { readonly from: number; readonly length: number }

/** Strings of a log without escapes. The second group distinguishes a key from a value. */
const STRINGS = /"([^"]*)"(\s*:)?/dg
const ZERO_X = 2
/** Zero digits before the address in a topic. They belong to the literal text. */
const PADDING = 24
/** Bytes that the value after a literal may take, unless it is of the kind `OTHER`. */
const MAX_VALUE = 64
const MAX_DIGITS = 8
const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20

const VALUES: ReadonlyMap<string, Value> = new Map([
  ['blockNumber', { place: BLOCK, words: 0 }],
  ['logIndex', { place: LOG_INDEX, words: 0 }],
  ['data', { place: VALUE, words: 8 }],
  ['transactionHash', { place: TX_HASH, words: 8 }],
  ['blockHash', { place: BLOCK_HASH, words: 8 }],
])

/** Values of ASCII hex digits by character code; -1 for anything else. */
const DIGITS = Int8Array.from({ length: 256 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(value) ? -1 : value
})
/** Bit that marks a pair of characters as not two hex digits. */
const INVALID = 0x8000
/** Byte values of two ASCII hex digits, indexed by their little-endian 16-bit number: one look-up for both. */
const PAIRS = Uint16Array.from({ length: 65_536 }, (_, pair) => {
  const high = DIGITS[pair & 0xff] as number
  const low = DIGITS[pair >> 8] as number
  return high < 0 || low < 0 ? INVALID : (high << 4) | low
})

/** Splits the text of a log into steps, by the strings in it; null if a key is repeated, or a hash has another length. */
function stepsOf(text: string, parties: readonly number[]): Step[] | null {
  const steps: Step[] = []
  const keys = new Set<string>()
  let key = ''
  let item = 0
  let literal = 0
  const add = (from: number, to: number, value: Value) => {
    steps.push({ ...value, from: literal, length: from - literal })
    literal = to
  }
  for (const { 1: string = '', 2: colon, indices } of text.matchAll(STRINGS)) {
    const [from, to] = indices?.[1] ?? [0, 0]
    if (colon !== undefined) {
      if (keys.has(string)) return null
      keys.add(string)
      key = string
      item = 0
    } else if (key === 'topics') {
      const place = parties[item++ - 1]
      if (place !== undefined) add(from + ZERO_X + PADDING, to, { place, words: 5 })
    } else if (key !== 'address') {
      const value = VALUES.get(key)
      if (value === undefined) add(from, to, { place: OTHER, words: 0 })
      else if (value.words > 0 && string.length !== ZERO_X + value.words * 8) return null
      else add(from + ZERO_X, to, value)
    }
  }
  add(text.length, text.length, { place: END, words: 0 })
  return steps
}

/** Learns the layout from the text of a log that is a row; null if its strings hold escapes, or it is not regular. */
export function learnLayout(text: string, event: string): LogLayout | null {
  if (text.includes('\\')) return null
  const steps = stepsOf(text, EVENT_PARTIES.get(event) ?? [])
  if (steps === null) return null
  // In columns, since reading objects would take longer than comparing their bytes.
  const column = (read: (step: Step) => number) => Int32Array.from(steps, read)
  const starts = column(({ from }) => from)
  const lengths = column(({ length }) => length)
  const places = column(({ place }) => place)
  const sizes = column(({ words }) => words)
  const mark = event === TRANSFER_TOPIC ? 0 : SUPPLY_LOG
  const learned = Buffer.from(text, 'latin1')
  const learnedView = new DataView(learned.buffer, learned.byteOffset, learned.length)
  const row: LogRow = { block: 0, logIndex: 0, words: new Int32Array(ROW_WORDS) }
  // The digits of each word when it was last decoded: hashes and upper words of values repeat from log to log.
  // No text equals NaN.
  const seen = new Float64Array(ROW_WORDS).fill(Number.NaN)

  return {
    event,
    row,
    match(bytes, view, start) {
      let at = start
      for (let step = 0; step < starts.length; step++) {
        const from = starts[step] as number
        const length = lengths[step] as number
        const place = places[step] as number
        const words = sizes[step] as number
        const end = at + length
        if (end + MAX_VALUE > bytes.length) return -1
        let own = from
        // ASCII text is never NaN as a double.
        for (; at + 8 <= end; at += 8, own += 8)
          if (view.getFloat64(at, true) !== learnedView.getFloat64(own, true)) return -1
        // The last eight bytes again, unless there are fewer.
        if (length >= 8) {
          if (view.getFloat64(end - 8, true) !== learnedView.getFloat64(from + length - 8, true)) return -1
        } else for (; at < end; at++, own++) if (bytes[at] !== learned[own]) return -1
        at = end
        if (place === END) return at
        for (let i = 0; i < words; i++, at += 8) {
          const digits = view.getFloat64(at, true)
          if (digits === seen[place + i]) continue
          const b0 = PAIRS[view.getUint16(at, true)] as number
          const b1 = PAIRS[view.getUint16(at + 2, true)] as number
          const b2 = PAIRS[view.getUint16(at + 4, true)] as number
          const b3 = PAIRS[view.getUint16(at + 6, true)] as number
          if ((b0 | b1 | b2 | b3) & INVALID) return -1
          row.words[place + i] = (b0 << 24) | (b1 << 16) | (b2 << 8) | b3
          seen[place + i] = digits
        }
        if (words > 0) continue
        if (place === OTHER) {
          for (let byte = bytes[at] as number; byte !== QUOTE; byte = bytes[++at] as number)
            if (byte === BACKSLASH || !(byte >= SPACE)) return -1
          continue
        }
        let value = 0
        for (let digit = DIGITS[bytes[at] as number] as number; digit >= 0; ) {
          value = (value << 4) | digit
          digit = DIGITS[bytes[++at] as number] as number
        }
        if (at === end || at - end > MAX_DIGITS) return -1
        if (place === BLOCK) row.block = value >>> 0
        else if (value < 0) return -1
        else row.logIndex = value + mark
      }
      return at
    },
  }
}
