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

/** Codings that `fetch` decodes. A stream that breaks off is kept up to there, as there. */
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
const ZSTD = 'zstd'
/** Node 22.15 and later decode it, and so does their `fetch`. */
const zstd = (zlib as { zstdDecompress?: typeof zlib.gunzip }).zstdDecompress
if (zstd !== undefined) {
  const unzstd = promisify(zstd)
  const finishFlush = (zlib.constants as { ZSTD_e_flush?: number }).ZSTD_e_flush
  DECODERS.set(ZSTD, (bytes, maxOutputLength) =>
    unzstd(bytes, { ...(finishFlush !== undefined && { finishFlush }), maxOutputLength }),
  )
}
/** `fetch` fails with more. */
const MAX_CODINGS = 5

/** Decoded text, or why there is none. */
export type DecodedBody =
  | {
      readonly text: string
      /** Whether clients on another platform than `fetch` read something else. */
      readonly isHidden: boolean
    }
  | 'too_large'
  | 'unreadable'

/**
 * Decodes a body as UTF-8 text, as `fetch` hands it to a client: several codings one after another, and a body with a
 * coding that it does not know, or with `identity` in a list, as it is.
 * @param encoding `content-encoding` header
 * @param maxBytes limit after decompression, which stops there
 */
export async function decodeBody(
  body: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Promise<DecodedBody> {
  const codings = encoding
    ? encoding
        .toLowerCase()
        .split(',')
        .map((coding) => coding.trim())
    : []
  if (body.length > maxBytes) return 'too_large'
  if (codings.length > MAX_CODINGS) return 'unreadable'
  const known = codings.flatMap((coding) => DECODERS.get(coding) ?? []).reverse()
  if (body.length === 0 || known.length === codings.length) {
    const decoded = await decode(body, known, maxBytes)
    return typeof decoded === 'string' ? decoded : { text: toText(decoded), isHidden: false }
  }
  return { text: toText(body), isHidden: await isHidden(body, codings, known, maxBytes) }
}

/** Whether a body that `fetch` leaves as it is is read by newer platforms, or by clients that skip unknown codings. */
async function isHidden(
  body: Buffer,
  codings: readonly string[],
  known: readonly Decode[],
  maxBytes: number,
): Promise<boolean> {
  if (codings.includes(ZSTD) && !DECODERS.has(ZSTD)) return true
  return known.length > 0 && (await decode(body, known, maxBytes)) !== 'unreadable'
}

async function decode(
  body: Buffer,
  decoders: readonly Decode[],
  maxBytes: number,
): Promise<Buffer | 'too_large' | 'unreadable'> {
  try {
    let bytes = body
    for (const step of decoders) if (bytes.length > 0) bytes = await step(bytes, maxBytes)
    return bytes
  } catch (error) {
    return error instanceof RangeError ? 'too_large' : 'unreadable'
  }
}

function toText(bytes: Buffer): string {
  return new TextDecoder().decode(bytes)
}
