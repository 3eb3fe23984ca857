import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { COMMON_HEADERS } from './securityHeaders.ts'

type Coding = 'br' | 'gzip'

/**
 * An answer as bytes, with the strong ETag of its content and its compressed forms once they were asked for. Bytes are
 * held as text of one character each (latin1): Node sends such a body together with the head in one write, which is
 * half of what an answer costs.
 */
export type Representation = {
  readonly body: string
  readonly type: string
  /** Of the uncompressed bytes; a compressed form has it with a suffix. */
  readonly etag: string
  readonly encoded: Map<Coding, string>
}

// Below this a compressed body saves no packet.
const MIN_COMPRESSED_BYTES = 1024

const compressors: Record<Coding, (body: Buffer) => Promise<Buffer>> = {
  // Quality 4 compresses better than gzip at about the same cost.
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify<Buffer, Buffer>(gzip),
}
const brotli = promisify<Buffer, object, Buffer>(brotliCompress)

/** Makes an answer of text or bytes. */
export function createRepresentation(body: string | Uint8Array, type: string): Representation {
  const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body)
  const digest = createHash('sha256').update(type).update('\0').update(bytes).digest('base64url')
  return { body: bytes.toString('latin1'), type, etag: digest.slice(0, 27), encoded: new Map() }
}

/** Makes an answer of a JSON value. */
export function createJsonRepresentation(value: unknown): Representation {
  return createRepresentation(JSON.stringify(value), 'application/json; charset=utf-8')
}

/** How an answer is sent. */
export type SendOptions = { status?: number; cacheControl: string; vary?: string }

/** Sends an answer, or 304 where the client has it. Answers HEAD with the headers alone. */
export async function sendRepresentation(
  request: IncomingMessage,
  response: ServerResponse,
  representation: Representation,
  options: SendOptions,
): Promise<void> {
  const coding = chooseCoding(request.headers['accept-encoding'], representation)
  if (coding !== undefined && !representation.encoded.has(coding)) {
    const packed = await compressors[coding](Buffer.from(representation.body, 'latin1'))
    representation.encoded.set(coding, packed.toString('latin1'))
  }
  sendReady(request, response, representation, options)
}

/** Whether the form of an answer that the client wants is at hand. */
export function isReady({ headers }: IncomingMessage, representation: Representation): boolean {
  const coding = chooseCoding(headers['accept-encoding'], representation)
  return coding === undefined || representation.encoded.has(coding)
}

/** Sends an answer at once, uncompressed where the form that the client wants has yet to be made. */
export function sendReady(
  request: IncomingMessage,
  response: ServerResponse,
  representation: Representation,
  options: SendOptions,
): void {
  if (response.headersSent || response.destroyed) return
  const wanted = chooseCoding(request.headers['accept-encoding'], representation)
  const encoded = wanted && representation.encoded.get(wanted)
  const coding = encoded && wanted
  const body = encoded ?? representation.body
  const etag = coding === undefined ? `"${representation.etag}"` : `"${representation.etag}-${coding}"`
  const vary = options.vary ? `Accept-Encoding, ${options.vary}` : 'Accept-Encoding'
  // A flat list, and all in it: headers that are set one by one cost the bare listener a third of its speed.
  const headers = [...COMMON_HEADERS, 'ETag', etag, 'Cache-Control', options.cacheControl, 'Vary', vary]
  const status = options.status ?? 200
  if (status === 200 && hasMatch(request.headers['if-none-match'], representation.etag)) {
    response.writeHead(304, headers)
    response.end()
    return
  }
  headers.push('Content-Type', representation.type, 'Content-Length', String(body.length))
  if (coding !== undefined) headers.push('Content-Encoding', coding)
  response.writeHead(status, headers)
  if (request.method === 'HEAD') response.end()
  else response.end(body, 'latin1')
}

/** The coding to use by an Accept-Encoding header: brotli before gzip, never one that is refused with q=0. */
export function chooseCoding(
  accepted: string | undefined,
  { body }: Pick<Representation, 'body'>,
): Coding | undefined {
  if (accepted === undefined || body.length < MIN_COMPRESSED_BYTES) return undefined
  const known = CHOICES.get(accepted)
  if (known !== undefined) return known.coding
  const names = accepted
    .split(',')
    .filter((entry) => !/;\s*q=0(\.0*)?\s*$/.test(entry))
    .map((entry) => entry.split(';')[0]?.trim().toLowerCase())
  const coding = names.includes('br') ? 'br' : names.includes('gzip') ? 'gzip' : undefined
  if (CHOICES.size < MAX_CHOICES && accepted.length < 100) CHOICES.set(accepted, { coding })
  return coding
}

// Clients of one kind all send the same header.
const CHOICES = new Map<string, { coding: Coding | undefined }>()
const MAX_CHOICES = 200

// Any form of the same content counts as the same: what the client holds is what it would get.
function hasMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return header.split(',').some((tag) => {
    const opaque = /^\s*(?:W\/)?"([^"]*)"\s*$/.exec(tag)?.[1]
    return opaque === etag || opaque === `${etag}-br` || opaque === `${etag}-gzip`
  })
}

/**
 * Cache-Control of a free answer: caches hold it for `maxAgeSeconds`, and in no case beyond its expiry.
 * @param now milliseconds since 1970, by the clock that `expiresAt` is of
 */
export function cacheControl(maxAgeSeconds: number, expiresAt: number | undefined, now: number): string {
  const left =
    expiresAt === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Math.floor((expiresAt - now) / 1000))
  const maxAge = Math.min(maxAgeSeconds, left)
  const stale = Math.min(maxAgeSeconds, left - maxAge)
  return `public, max-age=${maxAge}, stale-while-revalidate=${stale}`
}
