import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGunzip, gunzip } from 'node:zlib'
import { ChainError } from '../chainError.ts'

/** Consumes a body as it streams in. The caller may overwrite a chunk once `write` has returned. */
export type ByteSink = {
  /** Returns false if the sink wants no more. */
  write(chunk: Buffer): boolean
}

/** A body that was received in full. */
export type ReceivedBody = {
  /**
   * Returns the whole body, decompressed.
   *
   * @throws ChainError `too_large`, also if a streamed body was too large to buffer, or `unreachable`
   */
  readAll(): Promise<Buffer>
}

/** Options for receiving one body. */
export type BodyOptions = {
  readonly zipped: boolean
  /** Maximum bytes, both as sent and as decompressed. */
  readonly maxBytes: number
  readonly sink?: ByteSink | undefined
}

const unzip = promisify(gunzip)
/** Bytes decompressed per step, on the zlib thread pool, while the sink works on the previous chunk. */
const CHUNK = 1024 * 1024
/** A streamed body is also buffered up to this many bytes, in case the sink gives up. */
const MAX_KEPT = 64 * 1024 * 1024

/** Receives a body, and streams it to the sink if there is one. @throws ChainError `too_large` */
export async function receiveBody(body: Readable, options: BodyOptions): Promise<ReceivedBody> {
  const { zipped, maxBytes, sink } = options
  const tooLarge = () => new ChainError('too_large', `RPC body is above ${maxBytes} bytes`)
  const keepable = sink === undefined ? maxBytes : Math.min(maxBytes, MAX_KEPT)
  let kept: Buffer[] | null = []
  let sent = 0
  let decoded = 0
  const note = (part: Buffer) => {
    sent += part.length
    // Throwing destroys the stream, which ends the transfer.
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
  const take = async (chunks: AsyncIterable<Buffer>) => {
    let wanted = true
    for await (const chunk of chunks) {
      decoded += chunk.length
      if (decoded > maxBytes) throw tooLarge()
      if (wanted) wanted = sink?.write(chunk) ?? false
    }
  }
  if (zipped && sink !== undefined) await pipeline(body, noteEach, createGunzip({ chunkSize: CHUNK }), take)
  else await pipeline(body, noteEach, take)

  return {
    async readAll() {
      if (kept === null) throw tooLarge()
      const raw = kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept, sent)
      if (!zipped) return raw
      return unzip(raw, { chunkSize: CHUNK, maxOutputLength: maxBytes }).catch((error: { code?: string }) => {
        if (error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
        throw new ChainError('unreachable', 'An RPC sent an invalid gzip body')
      })
    },
  }
}
