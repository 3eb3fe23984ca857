import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'

const DECODERS = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
])

/**
 * Decodes a body as UTF-8 text.
 * @param encoding `content-encoding` header
 * @param maxBytes limit after decompression, which stops there
 * @returns the text, `too_large`, or `unreadable` for a broken, unknown or repeated encoding
 */
export async function decodeBody(
  body: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Promise<{ readonly text: string } | 'too_large' | 'unreadable'> {
  const name = (encoding ?? '').trim().toLowerCase()
  if (name === '' || name === 'identity' || body.length === 0) {
    return body.length > maxBytes ? 'too_large' : { text: toText(body) }
  }
  const decode = DECODERS.get(name)
  if (decode === undefined) return 'unreadable'
  try {
    return { text: toText(await decode(body, { maxOutputLength: maxBytes })) }
  } catch (error) {
    return error instanceof RangeError ? 'too_large' : 'unreadable'
  }
}

function toText(bytes: Buffer): string {
  return new TextDecoder().decode(bytes)
}
