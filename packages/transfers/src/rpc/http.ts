import { Pool } from 'undici'
import { ChainError } from '../chainError.ts'
import type { ReadOptions } from '../types.ts'
import { type ByteSink, type ReceivedBody, receiveBody } from './body.ts'

/** What an RPC's HTTP server answered. */
export type HttpReply = ReceivedBody & { readonly status: number; readonly retryAfterMs: number | null }

/** Posts JSON to one URL over kept-alive connections. */
export type HttpPoster = {
  /**
   * Any HTTP status is an answer. The body of one below 400 goes to the sink piece by piece, where there is one.
   *
   * @throws ChainError `unreachable`, `deadline` or `too_large`
   */
  post(body: string, options?: ReadOptions, sink?: ByteSink): Promise<HttpReply>
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

const DEFAULT_MAX_BYTES = 256 * 1024 * 1024

const readRetryAfter = (value: string | string[] | undefined, nowMs: number): number | null => {
  const text = Array.isArray(value) ? value[0] : value
  if (text === undefined) return null
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
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

  const post = async (body: string, read: ReadOptions = {}, sink?: ByteSink): Promise<HttpReply> => {
    const left = (read.deadlineAt ?? Number.POSITIVE_INFINITY) - options.now()
    if (left <= 0) throw new ChainError('deadline', 'No time left for another RPC request')
    const timer = AbortSignal.timeout(Math.ceil(Math.min(left, timeoutMs)))
    const signal = read.signal ? AbortSignal.any([read.signal, timer]) : timer
    try {
      const path = url.pathname + url.search
      const reply = await pool.request({ path, method: 'POST', headers, body, signal })
      const received = await receiveBody(reply.body, {
        zipped: reply.headers['content-encoding'] === 'gzip',
        maxBytes,
        sink: reply.statusCode < 400 ? sink : undefined,
      })
      const retryAfterMs = readRetryAfter(reply.headers['retry-after'], options.now())
      return { ...received, status: reply.statusCode, retryAfterMs }
    } catch (cause) {
      if (cause instanceof ChainError) throw cause
      const ended = read.signal?.aborted || left <= timeoutMs ? timer.aborted || read.signal?.aborted : false
      if (ended) throw new ChainError('deadline', 'The RPC did not answer before the deadline')
      const code = (cause as { code?: unknown }).code
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
