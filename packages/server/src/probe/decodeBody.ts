import { promisify } from 'node:util'
import * as zlib from 'node:zlib'

type Decode = (bytes: Buffer, maxOutputLength: number) => Promise<Buffer>

const FLUSH = { finishFlush: zlib.constants.Z_SYNC_FLUSH }
const gunzip = promisify(zlib.gunzip)
const inflate = promisify(zlib.inflate)
const inflateRaw = promisify(zlib.inflateRaw)
const brotli = promisify(zlib.brotliDecompress)
/** Low bits of the first byte of a zlib stream. A raw one has others. */
const ZLIB = 0x08

const ungzip: Decode = (bytes, maxOutputLength) => gunzip(bytes, { ...FLUSH, maxOutputLength })

/** Codings that `fetch` of every supported Node version decodes. A stream that breaks off is kept up to there, as there. */
const DECODERS = new Map<string, Decode>([
  ['gzip', ungzip],
  ['x-gzip', ungzip],
  [
    'deflate',
    (bytes, maxOutputLength) => {
      const decode = ((bytes[0] ?? 0) & 0x0f) === ZLIB ? inflate : inflateRaw
      return decode(bytes, { ...FLUSH, maxOutputLength })
    },
  ],
  [
    'br',
    (bytes, maxOutputLength) =>
      brotli(bytes, { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH, maxOutputLength }),
  ],
])
/** Decoded by newer versions of Node and by browsers. */
const NEWER = 'zstd'
/** `fetch` fails with more. */
const MAX_CODINGS = 5

/** Decoded text, or why there is none: `unsupported` if newer platforms read it. */
export type DecodedBody = { readonly text: string } | 'too_large' | 'unreadable' | 'unsupported'

/**
 * Decodes a body as UTF-8 text, as `fetch` hands it to a client: several codings one after another, and a body with a
 * coding that nobody knows as it is.
 * @param encoding `content-encoding` header
 * @param maxBytes limit after decompression, which stops there
 */
export async function decodeBody(
  body: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Promise<DecodedBody> {
  const codings = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (body.length > maxBytes) return 'too_large'
  if (codings.length > MAX_CODINGS) return 'unreadable'
  if (codings.includes(NEWER)) return 'unsupported'
  const decoders = codings.map((coding) => DECODERS.get(coding)).reverse()
  if (body.length === 0 || decoders.includes(undefined)) return { text: toText(body) }
  try {
    let bytes = body
    for (const decode of decoders) bytes = (await decode?.(bytes, maxBytes)) ?? bytes
    return { text: toText(bytes) }
  } catch (error) {
    return error instanceof RangeError ? 'too_large' : 'unreadable'
  }
}

function toText(bytes: Buffer): string {
  return new TextDecoder().decode(bytes)
}
