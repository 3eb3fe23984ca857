import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGunzip, gunzip } from 'node:zlib'
import { ChainError } from '../chainError.ts'

/** Takes a body piece by piece as it comes. A piece may be overwritten once `write` has returned. */
export type ByteSink = {
  /** False when the sink is no longer interested. */
  write(piece: Buffer): boolean
}

/** A body that has been received. */
export type ReceivedBody = {
  /**
   * All of it, decoded.
   *
   * @throws ChainError `too_large`, also when it went to a sink and was too large to be kept beside, or `unreachable`
   */
  readAll(): Promise<Buffer>
}

/** How a body is received. */
export type BodyOptions = {
  readonly zipped: boolean
  /** Bytes, as sent and as decoded. */
  readonly maxBytes: number
  readonly sink?: ByteSink | undefined
}

const unzip = promisify(gunzip)
/** Unzipped at a time, by a thread of its own while the sink is at work on what came before. */
const PIECE = 1024 * 1024
/** Bytes, as sent, of a body that goes to a sink: up to these it is kept too, should the sink decline. */
const MAX_KEPT = 64 * 1024 * 1024

/** Receives a body; into the sink as it comes, where there is one. @throws ChainError `too_large` */
export const receiveBody = async (body: Readable, options: BodyOptions): Promise<ReceivedBody> => {
  const { zipped, maxBytes, sink } = options
  const tooLarge = () => new ChainError('too_large', `RPC body is above ${maxBytes} bytes`)
  const keepable = sink === undefined ? maxBytes : Math.min(maxBytes, MAX_KEPT)
  let kept: Buffer[] | null = []
  let sent = 0
  let decoded = 0
  const note = (part: Buffer) => {
    sent += part.length
    // Leaving the stream destroys it, so that no more is received.
    if (sent > maxBytes) throw tooLarge()
    if (sent > keepable) kept = null
    kept?.push(part)
  }
  const noteEach = async function* (parts: AsyncIterable<Buffer>) {
    for await (const part of parts) {
      note(part)
      yield part
    }
  }
  const take = async (pieces: AsyncIterable<Buffer>) => {
    let wanted = true
    for await (const piece of pieces) {
      decoded += piece.length
      if (decoded > maxBytes) throw tooLarge()
      if (wanted) wanted = sink?.write(piece) ?? false
    }
  }
  if (zipped && sink !== undefined) await pipeline(body, noteEach, createGunzip({ chunkSize: PIECE }), take)
  else await pipeline(body, noteEach, take)

  return {
    async readAll() {
      if (kept === null) throw tooLarge()
      const raw = kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept, sent)
      if (!zipped) return raw
      return unzip(raw, { chunkSize: PIECE, maxOutputLength: maxBytes }).catch((error: { code?: string }) => {
        if (error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
        throw new ChainError('unreachable', 'An RPC sent what cannot be unzipped')
      })
    },
  }
}
