import { ChainError } from '../chainError.ts'
import type { ColumnBuilder } from '../columns/columnBuilder.ts'
import { readFault } from '../rpc/rpcReply.ts'
import { decodeLog, type SkippedLogs } from './decodeJson.ts'
import { type LogLayout, learnLayout } from './logLayout.ts'

/**
 * Decodes an `eth_getLogs` reply as it streams in, without buffering all of it.
 *
 * It gives up on anything unexpected (objects in a log, an error, another token): the caller then decodes the reply as
 * JSON, with a new builder.
 */
export type LogStream = {
  /** Decodes the next bytes, which may be overwritten afterwards. Returns false once it has given up. */
  write(chunk: Buffer): boolean
  /** Ends the reply. Returns the numbers of logs that are no rows, or null if it gave up. */
  end(): SkippedLogs | null
}

/** Maximum of undecoded bytes: far more than one log takes. */
const MAX_REST = 1024 * 1024
/** Bytes to collect before the next decoding attempt, so that small chunks are not scanned again and again. */
const MIN_BATCH = 16 * 1024
/** Bytes of a chunk to take at a time, so that they stay in the CPU cache until they are decoded. */
const MAX_BATCH = 64 * 1024
/** The reply up to its list of logs, if the members before it are no objects or lists. */
const HEAD = /^\s*\{(?:\s*"\w+"\s*:\s*(?:"[^"\\]*"|[\w.+-]+)\s*,)*\s*"result"\s*:\s*\[/
const MAX_HEAD = 4096

const COMMA = 0x2c
const CLOSE_LIST = 0x5d
const CLOSE = 0x7d

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const viewOf = ({ buffer, byteOffset, length }: Buffer) => new DataView(buffer, byteOffset, length)

/** Whether a reply without its logs is a result. With two numbers in their place, since a second result may hold one. */
function isResult(head: string, tail: string): boolean {
  return [0, 1].every((mark) => {
    const reply = JSON.parse(`${head}${mark}${tail}`)
    return readFault(200, reply) === null && JSON.stringify(reply.result) === `[${mark}]`
  })
}

/**
 * Creates the decoder of one reply.
 *
 * @param token address of the token: 40 lower-case hex digits, without 0x
 */
export function createLogStream(token: string, builder: ColumnBuilder): LogStream {
  // One layout per event: the event is part of its literal text.
  let layouts: LogLayout[] = []
  const skipped = { nft: 0, unindexed: 0 }
  let part: 'head' | 'log or end' | 'log' | 'comma or end' | 'tail' | 'given up' = 'head'
  let head = ''
  // The first `held` bytes of `room` are undecoded. Those after them are meaningless, and may be looked at.
  let room = Buffer.allocUnsafeSlow(2 * MIN_BATCH)
  let view = viewOf(room)
  let held = 0
  let decodeAt = 0

  /** Decodes a log that matches no layout, and learns its own. */
  const takeOther = (at: number): number => {
    const end = room.subarray(0, held).indexOf(CLOSE, at) + 1
    if (end === 0) return -1
    const text = room.toString('latin1', at, end)
    const log = JSON.parse(text)
    const row = decodeLog(log, token, skipped)
    if (row === null) return end
    builder.push(row)
    const layout = learnLayout(text, String(log.topics[0]).toLowerCase())
    if (layout !== null) layouts = [layout, ...layouts.filter(({ event }) => event !== layout.event)]
    return end
  }
  /** Returns the offset after the log at `at`, or -1 if it is not complete. */
  const takeLog = (at: number): number => {
    for (const layout of layouts) {
      const end = layout.match(room, view, at)
      if (end < 0) continue
      // Bytes of an earlier log completed it.
      if (end > held) return -1
      builder.push(layout.row)
      return end
    }
    return takeOther(at)
  }
  /** Decodes from `start` on. Returns the offset of the first byte that is left. */
  const takeAll = (start: number): number => {
    let at = start
    while (part !== 'tail') {
      while (at < held && isSpace(room[at] as number)) at++
      if (at === held) return at
      const byte = room[at]
      if (byte === CLOSE_LIST && part !== 'log') part = 'tail'
      else if (part !== 'comma or end') {
        const end = takeLog(at)
        if (end < 0) return at
        at = end
        part = 'comma or end'
      } else if (byte === COMMA) {
        at++
        part = 'log'
      } else throw new SyntaxError('Expected a comma between logs')
    }
    return at
  }
  const decode = () => {
    let at = 0
    try {
      if (part === 'head') {
        head = HEAD.exec(room.toString('latin1', 0, Math.min(held, MAX_HEAD)))?.[0] ?? ''
        if (head === '') return
        at = head.length
        part = 'log or end'
      }
      at = takeAll(at)
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof ChainError)) throw error
      part = 'given up'
    }
    held = room.copy(room, 0, at, held)
  }

  const take = (bytes: Buffer) => {
    if (held + bytes.length > room.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (held + bytes.length))
      room.copy(larger, 0, 0, held)
      room = larger
      view = viewOf(room)
    }
    held += bytes.copy(room, held)
    if (held < decodeAt) return
    decode()
    // Waiting for twice as many keeps the total work linear in the bytes.
    decodeAt = Math.max(MIN_BATCH, held * 2)
    if (held > (part === 'head' ? MAX_HEAD : MAX_REST)) part = 'given up'
  }

  return {
    write(chunk) {
      for (let at = 0; at < chunk.length && part !== 'given up'; at += MAX_BATCH)
        take(chunk.subarray(at, at + MAX_BATCH))
      return part !== 'given up'
    },
    end() {
      if (part !== 'given up') decode()
      if (part !== 'tail') return null
      try {
        return isResult(head, room.toString('latin1', 0, held)) ? skipped : null
      } catch {
        return null
      }
    },
  }
}
