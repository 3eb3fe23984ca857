import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { type RequestHead, readHead } from './readHead.ts'
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
  /** The head it was last sent with: most are sent with the same many times, and making one costs as much as sending it. */
  head: Head | undefined
}

type Head = {
  readonly coding: Coding | undefined
  readonly cacheControl: string
  readonly vary: string | undefined
  /** Names and values in turn. */
  readonly list: string[]
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
  // ASCII is its own latin1 form, and most answers are; the others take a way by their bytes.
  const isAscii = typeof body === 'string' && Buffer.byteLength(body) === body.length
  const latin1 = isAscii ? body : Buffer.from(body as Uint8Array).toString('latin1')
  const hashed = `${type}\0${latin1}`
  const digest = hash('sha256', isAscii ? hashed : Buffer.from(hashed, 'latin1'), 'base64url')
  return { body: latin1, type, etag: digest.slice(0, 27), encoded: new Map(), head: undefined }
}

/** Makes an answer of JSON text. */
export function createJsonRepresentation(text: string): Representation {
  return createRepresentation(text, 'application/json; charset=utf-8')
}

/** How an answer is sent. */
export type SendOptions = { status?: number; cacheControl: string; vary?: string }

/**
 * Sends an answer, or 304 where the client has it. Answers HEAD with the headers alone.
 * @param head of the request, where that was read before
 * @returns once it is sent; undefined where that could be done at once
 */
export function sendRepresentation(
  request: IncomingMessage,
  response: ServerResponse,
  representation: Representation,
  options: SendOptions,
  { acceptEncoding, ifNoneMatch }: RequestHead = readHead(request),
): Promise<void> | undefined {
  const coding = chooseCoding(acceptEncoding, representation)
  const send = () => {
    if (response.headersSent || response.destroyed) return
    const { status = 200 } = options
    const body = (coding && representation.encoded.get(coding)) ?? representation.body
    const { list } = headOf(representation, coding, body.length, options)
    if (status === 200 && hasMatch(ifNoneMatch, representation.etag)) {
      response.writeHead(304, list.slice(0, WITHOUT_BODY))
      response.end()
      return
    }
    response.writeHead(status, list)
    if (request.method === 'HEAD') response.end()
    else response.end(body, 'latin1')
  }
  if (coding === undefined || representation.encoded.has(coding)) {
    send()
    return undefined
  }
  return compressors[coding](Buffer.from(representation.body, 'latin1')).then((packed) => {
    representation.encoded.set(coding, packed.toString('latin1'))
    send()
  })
}

// The headers that an answer without a body has, too, stand first.
const WITHOUT_BODY = COMMON_HEADERS.length + 6

// A flat list, and all in it: headers that are set one by one cost the bare listener a third of its speed.
function headOf(
  representation: Representation,
  coding: Coding | undefined,
  length: number,
  { cacheControl, vary }: SendOptions,
): Head {
  const { head: last, type, etag } = representation
  if (last && last.coding === coding && last.cacheControl === cacheControl && last.vary === vary) return last
  const list = [
    ...COMMON_HEADERS,
    'ETag',
    coding === undefined ? `"${etag}"` : `"${etag}-${coding}"`,
    'Cache-Control',
    cacheControl,
    'Vary',
    vary === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${vary}`,
    ...(coding === undefined ? [] : ['Content-Encoding', coding]),
    'Content-Type',
    type,
    'Content-Length',
    String(length),
  ]
  representation.head = { coding, cacheControl, vary, list }
  return representation.head
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
  const last = lastControl.get(maxAgeSeconds)
  if (last?.maxAge === maxAge && last.stale === stale) return last.text
  const text = `public, max-age=${maxAge}, stale-while-revalidate=${stale}`
  lastControl.set(maxAgeSeconds, { maxAge, stale, text })
  return text
}

// But for the last minutes of a verdict these are always the same.
const lastControl = new Map<number, { maxAge: number; stale: number; text: string }>()
