import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { REQUEST_ID, requestIdOf } from '../requestId.ts'
import { DATA_HEADERS } from '../securityHeaders.ts'

/** A content coding. */
export type Coding = 'br' | 'gzip'

/** An answer in one content coding, as it is sent. */
export type Form = {
  readonly coding?: Coding
  /** Bytes as latin1 text: Node sends such a body and its head in one write, which halves the cost of an answer. */
  readonly body: string
}

/** An uncompressed answer, with the codings that clients have asked for so far. */
export type ReadyAnswer = Form & {
  /** The strong ETag of the uncompressed bytes, without quotes; a compressed form adds `-br` or `-gzip`. */
  readonly tag: string
  readonly options: ReadyOptions
  readonly coded: Partial<Record<Coding, Form>>
}

export type ReadyOptions = {
  readonly type: string
  readonly cacheControl: string
  /** Names of request headers besides Accept-Encoding. */
  readonly vary?: string
  /** Headers of every answer of the kind. @default DATA_HEADERS */
  readonly common?: readonly string[]
}

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Compressing a smaller body saves no packet, and costs more than the rest of the answer. */
export const MIN_COMPRESSED_BYTES = 4096

const brotli = promisify<Buffer, object, Buffer>(brotliCompress)
const compressors: Record<Coding, (body: Buffer) => Promise<Buffer>> = {
  // Quality 4 compresses better than gzip at about the same cost.
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify<Buffer, Buffer>(gzip),
}

/** Prepares an answer for sending. */
export function makeReady(content: string | Uint8Array, options: ReadyOptions): ReadyAnswer {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content)
  const body = bytes.toString('latin1')
  const tag = hash('sha256', `${options.type}\0${body}`, 'base64url').slice(0, 27)
  return { body, tag, options, coded: {} }
}

/** Returns the form that a client accepts; a promise where it must be compressed first. */
export function formFor(answer: ReadyAnswer, request: IncomingMessage): Form | Promise<Form> {
  if (answer.body.length < MIN_COMPRESSED_BYTES || answer.options.type === 'image/png') return answer
  const coding = chooseCoding(request.headers['accept-encoding'])
  if (coding === undefined) return answer
  return answer.coded[coding] ?? compress(answer, coding)
}

async function compress({ body, coded }: ReadyAnswer, coding: Coding): Promise<Form> {
  const bytes = await compressors[coding](Buffer.from(body, 'latin1'))
  const form = { coding, body: bytes.toString('latin1') }
  coded[coding] = form
  return form
}

/** Sends an answer, or 304 if the client has it. HEAD gets the headers alone. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  { tag, options }: ReadyAnswer,
  form: Form,
  status = 200,
): void {
  if (response.headersSent || response.destroyed) return
  if (status === 200 && hasMatch(request.headers['if-none-match'], tag)) {
    response.writeHead(304, headersOf(response, options, tag, form.coding))
    response.end()
    return
  }
  const headers = headersOf(response, options, tag, form.coding)
  headers.push('Content-Type', options.type, 'Content-Length', String(form.body.length))
  if (form.coding !== undefined) headers.push('Content-Encoding', form.coding)
  response.writeHead(status, headers)
  if (request.method === 'HEAD') response.end()
  else response.end(form.body, 'latin1')
}

/**
 * Returns the headers that a 304 has too, as a flat list: setting them one by one costs a third of the throughput, and
 * kept with each answer they would not fit the processor's caches.
 */
function headersOf(
  response: ServerResponse,
  { cacheControl, vary, common = DATA_HEADERS }: ReadyOptions,
  tag: string,
  coding?: Coding,
) {
  return [
    ...common,
    REQUEST_ID,
    requestIdOf(response),
    'ETag',
    coding === undefined ? `"${tag}"` : `"${tag}-${coding}"`,
    'Cache-Control',
    cacheControl,
    'Vary',
    vary === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${vary}`,
  ]
}

/** Chooses a coding by Accept-Encoding: brotli before gzip, neither if refused with q=0. */
export function chooseCoding(accepted: string | undefined): Coding | undefined {
  const names = (accepted ?? '')
    .split(',')
    .filter((entry) => !/;\s*q=0(\.0*)?\s*$/.test(entry))
    .map((entry) => entry.split(';')[0]?.trim().toLowerCase())
  return (['br', 'gzip'] as const).find((coding) => names.includes(coding))
}

// All forms of one content match: the client already holds what it would get.
function hasMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return header.split(',').some((tag) => {
    const opaque = /^\s*(?:W\/)?"([^"]*)"\s*$/.exec(tag)?.[1]
    return opaque === etag || opaque === `${etag}-br` || opaque === `${etag}-gzip`
  })
}
