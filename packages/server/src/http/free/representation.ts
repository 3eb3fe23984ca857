import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { DATA_HEADERS } from '../securityHeaders.ts'

/** How a body is compressed. */
export type Coding = 'br' | 'gzip'

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
  encoded: Partial<Record<Coding, { readonly body: string; readonly tag: string }>> | undefined
}

/** The end of an answer that ages. */
export type Ending = {
  /** The rest of its body, in ASCII. */
  readonly text: string
  /** What tells it from other ends of the same body in an ETag. */
  readonly tag: string
  /** Milliseconds since 1970 by the audit's clock: from then on it is another. */
  readonly until: number
}

/** Below this a compressed body saves a packet or none, and costs more than all else. */
export const MIN_COMPRESSED_BYTES = 4096

const compressors: Record<Coding, (body: Buffer) => Promise<Buffer>> = {
  // Quality 4 compresses better than gzip at about the same cost.
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify<Buffer, Buffer>(gzip),
}
const brotli = promisify<Buffer, object, Buffer>(brotliCompress)

/** Makes an answer of text or bytes. */
export function createRepresentation(body: string | Uint8Array, type: string): Representation {
  const latin1 = Buffer.from(body as Uint8Array).toString('latin1')
  const digest = hash('sha256', `${type}\0${latin1}`, 'base64url')
  return { body: latin1, type, etag: digest.slice(0, 27), encoded: undefined }
}

/** Makes an answer of JSON text. */
export function createJsonRepresentation(text: string): Representation {
  return createRepresentation(text, 'application/json; charset=utf-8')
}

/** How an answer is sent. */
export type SendOptions = {
  cacheControl: string
  vary?: string
  /** Where the representation has only what stays of the answer. */
  ending?: Ending | undefined
  /** The headers that it carries whatever it is. @default DATA_HEADERS */
  common?: readonly string[]
}

/** An answer as it goes out. */
export type Outgoing = {
  /** Names and values in turn. */
  readonly headers: string[]
  readonly body: string
  /** What follows the body; empty but for an answer that ages. */
  readonly end: string
  /** Its ETag, whatever the coding. */
  readonly tag: string
}

/** Puts an answer together, at once unless it has to be compressed. */
export function prepare(
  representation: Representation,
  coding: Coding | undefined,
  options: SendOptions,
): Outgoing | Promise<Outgoing> {
  const { ending } = options
  const { etag, type, encoded } = representation
  const tag = ending === undefined ? etag : `${etag}.${ending.tag}`
  const outgoing = (body: string, end = '') => ({
    headers: headersOf(type, tag, coding, body.length + end.length, options),
    body,
    end,
    tag,
  })
  if (coding === undefined) return outgoing(representation.body, ending?.text)
  const packed = encoded?.[coding]
  if (packed?.tag === tag) return outgoing(packed.body)
  const plain = representation.body + (ending?.text ?? '')
  return compressors[coding](Buffer.from(plain, 'latin1')).then((bytes) => {
    const body = bytes.toString('latin1')
    representation.encoded = { ...representation.encoded, [coding]: { body, tag } }
    return outgoing(body)
  })
}

/** Sends it, or 304 where the client has it. Answers HEAD with the headers alone. */
export function write(
  request: IncomingMessage,
  response: ServerResponse,
  { headers, body, end, tag }: Outgoing,
  status = 200,
): void {
  if (response.headersSent || response.destroyed) return
  if (status === 200 && hasMatch(request.headers['if-none-match'], tag)) {
    response.writeHead(304, headers.slice(0, headers.indexOf('Vary') + 2))
    response.end()
    return
  }
  response.writeHead(status, headers)
  if (request.method === 'HEAD') response.end()
  else response.end(body + end, 'latin1')
}

// A flat list, and all in it: headers that are set one by one cost the bare listener a third of its speed.
function headersOf(
  type: string,
  tag: string,
  coding: Coding | undefined,
  length: number,
  { cacheControl, vary, common = DATA_HEADERS }: SendOptions,
): string[] {
  return [
    ...common,
    'ETag',
    coding === undefined ? `"${tag}"` : `"${tag}-${coding}"`,
    'Cache-Control',
    cacheControl,
    'Vary',
    vary === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${vary}`,
    // From here on they tell of the body, which a 304 has none of.
    ...(coding === undefined ? [] : ['Content-Encoding', coding]),
    'Content-Type',
    type,
    'Content-Length',
    String(length),
  ]
}

/** The coding to use by an Accept-Encoding header: brotli before gzip, never one that is refused with q=0. */
export function chooseCoding(accepted: string | undefined, bodyBytes: number): Coding | undefined {
  if (accepted === undefined || bodyBytes < MIN_COMPRESSED_BYTES) return undefined
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
