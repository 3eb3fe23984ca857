import type { ColumnBuilder, EndBlock, EndBlocks } from '../columns/columnBuilder.ts'
import type { Hex } from '../types.ts'
import { EVENT_TOPICS, type EventPlace, TOPIC_COUNTS, TRANSFER } from './events.ts'
import { octetOf, readWord, UNEXPECTED, UnexpectedBytes } from './hexBytes.ts'
import { skipSpace } from './jsonScan.ts'
import { createLogFields, type LogFields, scanLog } from './logFields.ts'
import { createLogTemplate, type LogTemplate } from './logTemplate.ts'
import { createLogPusher } from './pushLog.ts'

const COMMA = 0x2c
const CLOSE_LIST = 0x5d

const EVENTS = EVENT_TOPICS.map((topic) => {
  const parts = Array.from({ length: 8 }, (_, i) => topic.slice(2 + i * 8, 10 + i * 8))
  return { octets: parts.map(octetOf), words: parts.map((text) => Number.parseInt(text, 16) | 0) }
})

/** Returns the place of a log's event; -1 for another event. */
function eventOf(view: DataView, { topic0 }: LogFields): EventPlace | -1 {
  const isEvent = ({ octets, words }: (typeof EVENTS)[number]) => {
    for (let i = 0; i < 8; i++) {
      if (view.getFloat64(topic0 + i * 8, true) === octets[i]) continue
      if (readWord(view, topic0 + i * 8) !== words[i]) return false
    }
    return true
  }
  return EVENTS.findIndex(isEvent) as EventPlace | -1
}

/** Reads the block hash at `at`; null if the log has none. */
function blockAt(bytes: Buffer, view: DataView, number: number, at: number): EndBlock | null {
  if (at < 0) return null
  for (let i = 0; i < 64; i += 8) readWord(view, at + i)
  const hash: Hex = `0x${bytes.toString('latin1', at, at + 64).toLowerCase()}`
  return { number, hash }
}

/** Decodes the list of logs of a reply, window by window. Keys may come in any order; unknown ones are skipped. */
export type LogList = {
  /**
   * Decodes the logs that begin from `start` on and before `before`. Returns the offset where it stopped, at the
   * start of the first incomplete log.
   *
   * @throws UnexpectedBytes if more bytes would not help
   */
  take(bytes: Buffer, start: number, before: number): number
  /** Whether the list has ended. */
  isDone(): boolean
  ends(): EndBlocks
}

/** Creates the decoder of one list. The next byte is the one after its `[`. */
export function createLogList(token: string, builder: ColumnBuilder): LogList {
  // One layout per event: the event is part of its literal text.
  const templates = EVENT_TOPICS.map(createLogTemplate)
  const pusher = createLogPusher(token, builder)
  const fields = createLogFields()
  let first: EndBlock | null | undefined
  let last: EndBlock | null = null
  let next: 'log or end' | 'log' | 'comma or end' | 'nothing' = 'log or end'
  // Block of the newest row in the current window.
  let block = -1
  let blockHash = -1

  const push = (bytes: Buffer, view: DataView, event: EventPlace) => {
    pusher.push(bytes, view, fields, event)
    block = fields.block
    blockHash = fields.blockHash
  }

  /** Decodes a log that does not match a template; returns the offset after it. */
  const takeOther = (bytes: Buffer, view: DataView, at: number): number => {
    const draft = createLogTemplate()
    draft.begin(at)
    const end = scanLog(bytes, view, at, fields, draft.note)
    const { topics, dataLength } = fields
    if (topics < 0 || fields.data < 0) throw UNEXPECTED
    const event = fields.removed || topics === 0 ? -1 : eventOf(view, fields)
    if (event < 0) return end
    if (event === TRANSFER && topics !== 3) builder.skip(topics > 3 ? 'nft' : 'unindexed')
    if (topics !== TOPIC_COUNTS[event] || dataLength !== 64) return end
    if (fields.address < 0 || fields.block < 0 || fields.logIndex < 0 || fields.txHash < 0) throw UNEXPECTED
    pusher.check(bytes, view, fields, event as EventPlace)
    push(bytes, view, event as EventPlace)
    if (first === undefined) first = blockAt(bytes, view, block, blockHash)
    draft.learn(bytes, end, fields.address)
    templates[event] = draft
    return end
  }

  const takeLog = (bytes: Buffer, view: DataView, at: number): number => {
    const known = fields.blockHash
    for (let event = 0; event < templates.length; event++) {
      fields.blockHash = known
      const end = (templates[event] as LogTemplate).match(bytes, view, at, fields)
      if (end < 0) continue
      push(bytes, view, event as EventPlace)
      return end
    }
    return takeOther(bytes, view, at)
  }

  const takeAll = (bytes: Buffer, view: DataView, start: number, before: number): number => {
    let at = start
    while (at < before) {
      const here = skipSpace(bytes, at)
      const byte = bytes[here]
      if (byte === undefined) return at
      if (byte === CLOSE_LIST && next !== 'log') {
        next = 'nothing'
        return here + 1
      }
      if (next !== 'comma or end') {
        at = takeLog(bytes, view, here)
        next = 'comma or end'
      } else if (byte === COMMA) {
        at = here + 1
        next = 'log'
      } else throw UNEXPECTED
      taken = at
    }
    return at
  }
  // Offset after the newest complete log or comma.
  let taken = 0

  return {
    isDone: () => next === 'nothing',
    ends: () => ({ first: first ?? null, last }),
    take(bytes, start, before) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      pusher.moveOn()
      fields.blockHash = -1
      block = -1
      taken = start
      let end = start
      try {
        end = takeAll(bytes, view, start, before)
      } catch (error) {
        // The view throws a RangeError past its end.
        if (!(error instanceof UnexpectedBytes || error instanceof RangeError)) throw error
        end = taken
      }
      if (block >= 0) last = blockAt(bytes, view, block, blockHash)
      return end
    },
  }
}
