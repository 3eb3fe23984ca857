import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Pool } from 'undici'
import { ChainError } from '../../domain/chainError.ts'
import type { ReadOptions } from '../../ports/chain.ts'

/** What an RPC's HTTP server answered, body decoded. */
export type HttpReply = {
  readonly status: number
  readonly retryAfterMs: number | null
  readonly body: Buffer
}

/** Posts JSON to one URL over kept-alive connections. */
export type HttpPoster = {
  /** @throws ChainError `unreachable`, `deadline` or `bad_answer`; any HTTP status is an answer. */
  post(body: string, options?: ReadOptions): Promise<HttpReply>
  close(): Promise<void>
}

export type HttpPosterOptions = {
  readonly url: string
  /** Bytes of a body, as sent and as decoded. @default 256 MiB */
  readonly maxBodyBytes?: number
  /** Milliseconds that one request may take. @default 20000 */
  readonly timeoutMs?: number
  /** @default 8 */
  readonly connections?: number
  readonly now: () => number
}

const unzip = promisify(gunzip)
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024
const GUNZIP_CHUNK = 1024 * 1024

const readRetryAfter = (value: string | string[] | undefined, nowMs: number): number | null => {
  const text = Array.isArray(value) ? value[0] : value
  if (text === undefined) return null
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}

const collect = async (body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> => {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    // Leaving the loop destroys the stream, so that no more is received.
    if (size > maxBytes) throw new ChainError('too_large', `RPC body is above ${maxBytes} bytes`)
    parts.push(part)
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts, size)
}

/** Creates a poster for one RPC URL. Redirects are not followed; credentials in the URL never reach an error. */
export const createHttpPoster = (options: HttpPosterOptions): HttpPoster => {
  const url = new URL(options.url)
  const maxBytes = options.maxBodyBytes ?? DEFAULT_MAX_BYTES
  const timeoutMs = options.timeoutMs ?? 20_000
  const pool = new Pool(url.origin, {
    connections: options.connections ?? 8,
    keepAliveTimeout: 30_000,
    connect: { timeout: Math.min(timeoutMs, 10_000) },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })
  const headers: Record<string, string> = { 'content-type': 'application/json', 'accept-encoding': 'gzip' }
  if (url.username !== '')
    headers.authorization = `Basic ${Buffer.from(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`).toString('base64')}`

  const post = async (body: string, read: ReadOptions = {}): Promise<HttpReply> => {
    const left = (read.deadlineAt ?? Number.POSITIVE_INFINITY) - options.now()
    if (left <= 0) throw new ChainError('deadline', 'No time left for another RPC request')
    const timer = AbortSignal.timeout(Math.ceil(Math.min(left, timeoutMs)))
    const signal = read.signal ? AbortSignal.any([read.signal, timer]) : timer
    try {
      const path = url.pathname + url.search
      const reply = await pool.request({ path, method: 'POST', headers, body, signal })
      const raw = await collect(reply.body, maxBytes)
      const zipped = reply.headers['content-encoding'] === 'gzip'
      return {
        status: reply.statusCode,
        retryAfterMs: readRetryAfter(reply.headers['retry-after'], options.now()),
        body: zipped ? await unzip(raw, { chunkSize: GUNZIP_CHUNK, maxOutputLength: maxBytes }) : raw,
      }
    } catch (cause) {
      if (cause instanceof ChainError) throw cause
      const ended = read.signal?.aborted || left <= timeoutMs ? timer.aborted || read.signal?.aborted : false
      if (ended) throw new ChainError('deadline', 'The RPC did not answer before the deadline')
      const code = (cause as { code?: unknown }).code
      if (code === 'ERR_BUFFER_TOO_LARGE')
        throw new ChainError('too_large', `RPC body is above ${maxBytes} bytes`)
      throw new ChainError(
        'unreachable',
        `The RPC could not be reached (${typeof code === 'string' ? code : 'timeout'})`,
      )
    }
  }
  let closing: Promise<void> | null = null
  return {
    post,
    close: () => {
      closing ??= pool.close()
      return closing
    },
  }
}
