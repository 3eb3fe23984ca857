import type { ColumnBuilder, EndBlocks } from '../columns/columnBuilder.ts'
import { UnexpectedBytes } from './hexBytes.ts'
import { createLogList } from './logList.ts'
import { scanHead, scanTail } from './replyFrame.ts'

/**
 * Decodes an `eth_getLogs` reply piece by piece as it comes, without ever holding all of it.
 *
 * Anything that is not as expected (escapes, odd lengths, an error, a foreign token) ends it, with the builder as it
 * was: the reply has to be decoded as JSON then.
 */
export type LogStream = {
  /** Takes the next bytes, which may be overwritten afterwards; false once it has given up. */
  write(piece: Buffer): boolean
  /** The reply is whole: the blocks of its first and last row, or null when it had to give up. */
  end(): EndBlocks | null
}

/** Bytes that may be undecided, as one log may be; more, and there is nothing to wait for. */
const MAX_REST = 1024 * 1024
/** Fewer bytes than these are not looked at one by one as they trickle in. */
const LEAST_LOOK = 16 * 1024
/** Bytes of the next piece that are joined to the undecided ones first: a log is about 650. */
const SEAM = 4096

/** Creates a stream of one reply. `token` is the token's address, 40 lower-case digits; logs of others are not expected. */
export const createLogStream = (token: string, builder: ColumnBuilder): LogStream => {
  const rows = builder.count()
  const list = createLogList(token, builder)
  let part: 'head' | 'list' | 'tail' | 'given up' = 'head'
  // The undecided bytes are the first `held` of `room`.
  let room = Buffer.allocUnsafeSlow(2 * SEAM)
  let held = 0
  let lookAt = 0

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
  /** Keeps what could not be decided yet. */
  const wait = (bytes: Buffer) => {
    held = 0
    hold(bytes)
    // Twice as much before the next look, so that all looks together stay in proportion to the bytes.
    lookAt = Math.max(LEAST_LOOK, held * 2)
  }

  /** Decodes what begins before `before`; returns what is left. */
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
    write(piece) {
      if (part === 'given up') return false
      if (part === 'tail' || held + piece.length < lookAt) hold(piece)
      else if (held === 0) wait(take(piece, piece.length))
      else {
        const before = held
        hold(piece.subarray(0, SEAM))
        const left = take(rest(), before)
        const past = held - left.length - before
        if (past >= 0) wait(take(piece.subarray(past), piece.length))
        else {
          wait(left)
          hold(piece.subarray(SEAM))
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

/** Decodes a whole `eth_getLogs` reply; null when it has to be decoded as JSON. */
export const decodeLogsBytes = (bytes: Buffer, token: string, builder: ColumnBuilder): EndBlocks | null => {
  const stream = createLogStream(token, builder)
  stream.write(bytes)
  return stream.end()
}
