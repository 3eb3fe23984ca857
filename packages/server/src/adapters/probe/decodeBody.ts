import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'

const DECODERS = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
} as const

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
  if (!isKnown(name)) return 'unreadable'
  try {
    return { text: toText(await DECODERS[name](body, { maxOutputLength: maxBytes })) }
  } catch (error) {
    return error instanceof RangeError ? 'too_large' : 'unreadable'
  }
}

function isKnown(name: string): name is keyof typeof DECODERS {
  return Object.hasOwn(DECODERS, name)
}

function toText(bytes: Buffer): string {
  return new TextDecoder().decode(bytes)
}
