import type { Kind, LogFields } from './logFields.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20

const TOPIC1 = 1
const TOPIC2 = 2
const DATA = 3
const TX_HASH = 4
const BLOCK_HASH = 5
const BLOCK = 6
const LOG_INDEX = 7
const OTHER = 8
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
 * The layout of one log, to be found again in the next.
 *
 * A node writes all its logs alike: the same literal text, with values of changing text between. Comparing the
 * literals eight bytes at a time is several times faster than finding the keys again.
 */
export type LogTemplate = {
  /** Starts learning from a log at `start`. */
  begin(start: number): void
  note(kind: Kind, from: number, to: number): void
  /** The log ended before `end`: from now on this is the layout. */
  learn(end: number, address: number): void
  /** Fills `fields` when the log at `start` has the layout; returns the byte after it, or -1. */
  match(bytes: Uint8Array, view: DataView, start: number, fields: LogFields): number
}

/** Creates an empty template, which matches nothing. `fields` that `match` gives share the learnt address. */
export const createLogTemplate = (): LogTemplate => {
  // Step i: the literal of `lengths[i]` bytes that stood at `places[i]`, then a value of `kinds[i]`.
  let places: number[] = []
  let lengths: number[] = []
  let kinds: number[] = []
  let steps = 0
  let literal = 0
  let addressOffset = -1
  let started = 0
  const draft: { places: number[]; lengths: number[]; kinds: number[] } = {
    places: [],
    lengths: [],
    kinds: [],
  }

  return {
    begin(start) {
      started = start
      literal = start
      draft.places = []
      draft.lengths = []
      draft.kinds = []
    },
    note(kind, from, to) {
      // Every transfer has the same first topic: it belongs to the literal text.
      if (kind === 'topic0') return
      draft.places.push(literal)
      draft.lengths.push(from - literal)
      draft.kinds.push(CODES[kind])
      literal = to
    },
    learn(end, address) {
      places = [...draft.places, literal]
      lengths = [...draft.lengths, end - literal]
      kinds = [...draft.kinds, -1]
      steps = kinds.length
      addressOffset = address - started
    },
    match(bytes, view, start, fields) {
      if (steps === 0) return -1
      let at = start
      // The end of the last literal is the furthest that is compared.
      for (let step = 0; step < steps; step++) {
        const length = lengths[step] as number
        const place = places[step] as number
        if (at + length > bytes.length) return -1
        if (length >= 8) {
          for (let i = 0; i + 8 <= length; i += 8)
            if (view.getFloat64(at + i, true) !== view.getFloat64(place + i, true)) return -1
          if (view.getFloat64(at + length - 8, true) !== view.getFloat64(place + length - 8, true)) return -1
        } else for (let i = 0; i < length; i++) if (bytes[at + i] !== bytes[place + i]) return -1
        at += length
        switch (kinds[step]) {
          case TOPIC1:
            fields.topic1 = at
            at += 64
            break
          case TOPIC2:
            fields.topic2 = at
            at += 64
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
            let same = known >= 0
            for (let i = 0; same && i < 64; i += 8)
              same = view.getFloat64(at + i, true) === view.getFloat64(known + i, true)
            if (same) {
              at += 64
              break
            }
            for (let i = 0; i < 64; i++, at++)
              if (bytes[at] === QUOTE || bytes[at] === BACKSLASH || (bytes[at] as number) < SPACE) return -1
            break
          }
          case BLOCK:
          case LOG_INDEX:
          case OTHER: {
            if (kinds[step] === BLOCK) fields.block = at
            else if (kinds[step] === LOG_INDEX) fields.logIndex = at
            let byte = bytes[at] as number
            while (byte !== QUOTE) {
              if (byte === BACKSLASH || !(byte >= SPACE)) return -1
              byte = bytes[++at] as number
            }
            break
          }
        }
      }
      fields.address = start + addressOffset
      return at
    },
  }
}
