import type { ColumnBuilder, EndBlocks } from '../columns/columnBuilder.ts'
import { UnexpectedBytes } from './hexBytes.ts'
import { createLogList } from './logList.ts'
import { scanHead, scanTail } from './replyFrame.ts'

/**
 * Decodes an `eth_getLogs` reply as it streams in, without buffering all of it.
 *
 * It gives up on anything unexpected (escapes, odd lengths, an error, another token) and restores the builder:
 * the caller then decodes the reply as JSON.
 */
export type LogStream = {
  /** Decodes the next bytes, which may be overwritten afterwards. Returns false once it has given up. */
  write(chunk: Buffer): boolean
  /** Ends the reply. Returns the blocks of its first and last row, or null if it gave up. */
  end(): EndBlocks | null
}

/** Maximum of undecoded bytes: far more than one log takes. */
const MAX_REST = 1024 * 1024
/** Bytes to collect before the next decoding attempt, so that small chunks are not scanned again and again. */
const MIN_BATCH = 16 * 1024
/** Bytes of the next chunk to join to the undecoded ones. A log takes about 650. */
const SEAM = 4096

/**
 * Creates the decoder of one reply.
 *
 * @param token address of the token: 40 lower-case hex digits, without 0x
 */
export function createLogStream(token: string, builder: ColumnBuilder): LogStream {
  const rows = builder.count()
  const list = createLogList(token, builder)
  let part: 'head' | 'list' | 'tail' | 'given up' = 'head'
  // The first `held` bytes of `room` are undecoded.
  let room = Buffer.allocUnsafeSlow(2 * SEAM)
  let held = 0
  let decodeAt = 0

  const rest = (): Buffer => room.subarray(0, held)
  const giveUp = () => {
    part = 'given up'
    held = 0
    builder.truncate(rows)
  }
  const hold = (bytes: Buffer) => {
    if (held + bytes.length > MAX_REST) return giveUp()
    if (held + bytes.length > room.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (held + bytes.length))
      room.copy(larger, 0, 0, held)
      room = larger
    }
    held += bytes.copy(room, held)
  }
  /** Keeps undecoded bytes for the next attempt. */
  const wait = (bytes: Buffer) => {
    held = 0
    hold(bytes)
    // Waiting for twice as many keeps the total work linear in the bytes.
    decodeAt = Math.max(MIN_BATCH, held * 2)
  }

  /** Decodes what begins before `before`; returns the rest. */
  const take = (bytes: Buffer, before: number): Buffer => {
    let at = 0
    try {
      if (part === 'head') {
        at = scanHead(bytes) ?? -1
        if (at < 0) return bytes
        part = 'list'
      }
      if (part === 'list') at = list.take(bytes, at, before)
      if (list.isDone()) part = 'tail'
    } catch (error) {
      if (!(error instanceof UnexpectedBytes)) throw error
      giveUp()
    }
    return bytes.subarray(at)
  }

  return {
    write(chunk) {
      if (part === 'given up') return false
      if (part === 'tail' || held + chunk.length < decodeAt) hold(chunk)
      else if (held === 0) wait(take(chunk, chunk.length))
      else {
        const before = held
        hold(chunk.subarray(0, SEAM))
        const left = take(rest(), before)
        const past = held - left.length - before
        if (past >= 0) wait(take(chunk.subarray(past), chunk.length))
        else {
          wait(left)
          hold(chunk.subarray(SEAM))
          wait(take(rest(), held))
        }
      }
      return isOn()
    },
    end() {
      if (isOn()) wait(take(rest(), held))
      if (part === 'tail' && scanTail(rest())) return list.ends()
      if (isOn()) giveUp()
      return null
    },
  }

  function isOn(): boolean {
    return part !== 'given up'
  }
}

/** Decodes a whole `eth_getLogs` reply; null if it has to be decoded as JSON. */
export function decodeLogsBytes(bytes: Buffer, token: string, builder: ColumnBuilder): EndBlocks | null {
  const stream = createLogStream(token, builder)
  stream.write(bytes)
  return stream.end()
}
