import { DIGITS } from './hexBytes.ts'
import type { Kind, LogFields } from './logFields.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
const MAX_DIGITS = 8
/** Zero digits before the address in a topic. They belong to the literal text. */
const PADDING = 24

const TOPIC1 = 1
const TOPIC2 = 2
const DATA = 3
const TX_HASH = 4
const BLOCK_HASH = 5
const BLOCK = 6
const LOG_INDEX = 7
const OTHER = 8
const END = 9
const CODES: Record<Exclude<Kind, 'topic0'>, number> = {
  topic1: TOPIC1,
  topic2: TOPIC2,
  data: DATA,
  txHash: TX_HASH,
  blockHash: BLOCK_HASH,
  block: BLOCK,
  logIndex: LOG_INDEX,
  other: OTHER,
}

/**
 * Layout of one log, matched against the next ones.
 *
 * A node formats all its logs alike: the same literal text between changing values. Comparing the literals
 * eight bytes at a time is several times faster than scanning for keys.
 */
export type LogTemplate = {
  /** Starts to learn from the log at `start`. */
  begin(start: number): void
  note(kind: Kind, from: number, to: number): void
  /** Makes the noted log, which ends before `end`, the layout. */
  learn(bytes: Uint8Array, end: number, address: number): void
  /** Fills `fields` if the log at `start` has the layout. Returns the offset after it, or -1. */
  match(bytes: Uint8Array, view: DataView, start: number, fields: LogFields): number
}

/** Creates an empty template. It matches nothing. */
export function createLogTemplate(): LogTemplate {
  // Step i is a literal of `lengths[i]` bytes, then a value of kind `kinds[i]`.
  let lengths = new Int32Array(0)
  let kinds = new Int32Array(0)
  // Long literals, eight bytes each; the last eight may overlap the ones before.
  let octets = new Float64Array(0)
  // Literals shorter than eight bytes, concatenated.
  let short = new Uint8Array(0)
  let addressOffset = -1
  let started = 0
  let draft: { kind: number; from: number; to: number }[] = []
  let literal = 0

  return {
    begin(start) {
      started = start
      literal = start
      draft = []
    },
    note(kind, from, to) {
      // The first topic is the same for every log of an event, so it belongs to the literal text.
      if (kind === 'topic0') return
      const isParty = kind === 'topic1' || kind === 'topic2'
      draft.push({ kind: CODES[kind], from: literal, to: isParty ? from + PADDING : from })
      literal = to
    },
    learn(bytes, end, address) {
      const steps = [...draft, { kind: END, from: literal, to: end }]
      lengths = Int32Array.from(steps, ({ from, to }) => to - from)
      kinds = Int32Array.from(steps, ({ kind }) => kind)
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const long: number[] = []
      const few: number[] = []
      for (const { from, to } of steps) {
        if (to - from < 8) few.push(...bytes.subarray(from, to))
        else {
          for (let at = from; at + 8 <= to; at += 8) long.push(view.getFloat64(at, true))
          if ((to - from) % 8 > 0) long.push(view.getFloat64(to - 8, true))
        }
      }
      octets = Float64Array.from(long)
      short = Uint8Array.from(few)
      addressOffset = address - started
    },
    match(bytes, view, start, fields) {
      // Local copies: these are the hottest loops of all.
      const spans = lengths
      const codes = kinds
      const long = octets
      const few = short
      const steps = codes.length
      const size = bytes.length
      if (steps === 0) return -1
      let at = start
      let octet = 0
      let letter = 0
      for (let step = 0; step < steps; step++) {
        const length = spans[step] as number
        const end = at + length
        if (end > size) return -1
        if (length >= 8) {
          for (; at + 16 <= end; at += 16, octet += 2)
            if (
              view.getFloat64(at, true) !== long[octet] ||
              view.getFloat64(at + 8, true) !== long[octet + 1]
            )
              return -1
          if (at + 8 <= end) {
            if (view.getFloat64(at, true) !== long[octet++]) return -1
            at += 8
          }
          if (at < end && view.getFloat64(end - 8, true) !== long[octet++]) return -1
        } else for (; at < end; at++) if (bytes[at] !== few[letter++]) return -1
        at = end
        switch (codes[step]) {
          case TOPIC1:
            fields.topic1 = at - PADDING
            at += 64 - PADDING
            break
          case TOPIC2:
            fields.topic2 = at - PADDING
            at += 64 - PADDING
            break
          case DATA:
            fields.data = at
            at += 64
            break
          case TX_HASH:
            fields.txHash = at
            at += 64
            break
          case BLOCK_HASH: {
            const known = fields.blockHash
            fields.blockHash = at
            if (at + 64 > size) return -1
            let same = known >= 0
            for (let i = 0; same && i < 64; i += 8)
              same = view.getFloat64(at + i, true) === view.getFloat64(known + i, true)
            if (same) {
              at += 64
              break
            }
            for (const after = at + 64; at < after; at++) if (DIGITS[bytes[at] as number] === -1) return -1
            break
          }
          case BLOCK:
          case LOG_INDEX:
          case OTHER: {
            const from = at
            let value = 0
            let digit = DIGITS[bytes[at] as number] as number
            while (digit >= 0) {
              value = (value << 4) | digit
              digit = DIGITS[bytes[++at] as number] as number
            }
            if (codes[step] === OTHER) {
              for (let byte = bytes[at] as number; byte !== QUOTE; byte = bytes[++at] as number)
                if (byte === BACKSLASH || !(byte >= SPACE)) return -1
              break
            }
            if (bytes[at] !== QUOTE || at === from || at - from > MAX_DIGITS) return -1
            if (codes[step] === BLOCK) fields.block = value >>> 0
            else fields.logIndex = value >>> 0
            break
          }
        }
      }
      fields.address = start + addressOffset
      return at
    },
  }
}
