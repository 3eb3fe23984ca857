import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { decodeBody } from './decodeBody.ts'
import { cleanUpAfterEach, serve } from './testing/harness.ts'

cleanUpAfterEach()

const TEXT = JSON.stringify({ x402Version: 1, accepts: [] })
const BYTES = Buffer.from(TEXT)
const LONG = Buffer.from(TEXT + Array.from({ length: 2000 }, (_, index) => Math.sin(index)).join(' '))
const MAX = 1024 * 1024
const ZIPPED = gzipSync(BYTES)
const TWICE = gzipSync(ZIPPED)

/** Returns bytes with one of them changed, counted from the end. */
function damage(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[copy.length - at] = (copy.at(-at) ?? 0) ^ 1
  return copy
}

/** Returns what a client of this platform gets by `fetch`, or `unreadable` where it gets nothing. */
async function readByFetch(body: Buffer, encoding: string): Promise<string> {
  const port = await serve((_request, response) => {
    response.writeHead(402, encoding === '' ? {} : { 'content-encoding': encoding }).end(body)
  })
  const text = fetch(`http://127.0.0.1:${port}/`).then((response) => response.text())
  return text.catch(() => 'unreadable')
}

test('default', async () => {
  expect(await decodeBody(BYTES, undefined, MAX)).toEqual({ text: TEXT, isHidden: false })
  expect(await decodeBody(ZIPPED, 'gzip', MAX)).toEqual({ text: TEXT, isHidden: false })
})

describe('behavior: hands over what fetch hands to a client', () => {
  test.each<[name: string, encoding: string, body: Buffer]>([
    ['no coding', '', BYTES],
    ['a byte order mark', '', Buffer.concat([Buffer.from('\ufeff'), BYTES])],
    ['identity', 'identity', BYTES],
    ['a charset in place of a coding', 'utf-8', BYTES],
    ['the coding of uploads to S3', 'aws-chunked', BYTES],
    ['a coding that says that there is none', 'none', BYTES],
    ['a coding that fetch does not know', 'compress', BYTES],
    ['gzip', 'gzip', ZIPPED],
    ['its old name', 'x-gzip', ZIPPED],
    ['upper case', 'GZIP', ZIPPED],
    ['brotli', 'br', brotliCompressSync(BYTES)],
    ['deflate', 'deflate', deflateSync(BYTES)],
    ['deflate without its header', 'deflate', deflateRawSync(BYTES)],
    ['gzip twice', 'gzip, gzip', TWICE],
    ['gzip twice, with tabs', 'gzip\t,\tgzip', TWICE],
    ['two codings in order', 'gzip, br', brotliCompressSync(ZIPPED)],
    ['two codings in the wrong order', 'br, gzip', brotliCompressSync(ZIPPED)],
    ['gzip once that is said to be twice', 'gzip, gzip', ZIPPED],
    ['gzip that was cut', 'gzip', gzipSync(LONG).subarray(0, 5000)],
    ['brotli that was cut', 'br', brotliCompressSync(LONG).subarray(0, 5000)],
    ['deflate that was cut', 'deflate', deflateSync(LONG).subarray(0, 5000)],
    ['raw deflate that was cut', 'deflate', deflateRawSync(LONG).subarray(0, 5000)],
    ['gzip that was cut within its header', 'gzip', ZIPPED.subarray(0, 5)],
    ['gzip without its checksum', 'gzip', ZIPPED.subarray(0, -8)],
    ['gzip with a wrong checksum', 'gzip', damage(ZIPPED, 6)],
    ['plain text under gzip', 'gzip', BYTES],
    ['no body', 'gzip', Buffer.alloc(0)],
    ['two members', 'gzip', Buffer.concat([ZIPPED, ZIPPED])],
    ['zeros behind gzip', 'gzip', Buffer.concat([ZIPPED, Buffer.alloc(8)])],
    ['text behind gzip', 'gzip', Buffer.concat([ZIPPED, BYTES])],
    ['text behind brotli', 'br', Buffer.concat([brotliCompressSync(BYTES), BYTES])],
    ['gzip and a charset', 'gzip, utf-8', ZIPPED],
    ['identity before gzip', 'identity, gzip', ZIPPED],
    ['identity after gzip', 'gzip, identity', ZIPPED],
    ['an empty element', 'gzip,', ZIPPED],
    ['a parameter', 'gzip;q=1', ZIPPED],
    ['quotes', '"gzip"', ZIPPED],
    ['five codings', 'gzip,gzip,gzip,gzip,gzip', gzipSync(gzipSync(gzipSync(TWICE)))],
    ['six codings', 'a,b,c,d,e,f', BYTES],
    ['a plain body under zstd', 'zstd', BYTES],
  ])('%s', async (_name, encoding, body) => {
    const decoded = await decodeBody(body, encoding, MAX)
    expect(typeof decoded === 'string' ? decoded : decoded.text).toBe(await readByFetch(body, encoding))
  })
})

test('behavior: says where other clients read more than fetch does', async () => {
  const isHidden = async (encoding: string, body: Buffer) => {
    const decoded = await decodeBody(body, encoding, MAX)
    return typeof decoded === 'string' ? decoded : decoded.isHidden
  }
  // Python's httpx skips the codings that it does not know.
  for (const encoding of ['gzip, utf-8', 'identity, gzip', 'gzip,'])
    expect([encoding, await isHidden(encoding, ZIPPED)]).toEqual([encoding, true])
  expect(await isHidden('gzip, utf-8', BYTES)).toBe(false)
  expect(await isHidden('aws-chunked', BYTES)).toBe(false)
  expect(await isHidden('gzip', ZIPPED)).toBe(false)
})

test('error: a body that is too large, compressed or not, stops at the limit', async () => {
  const bomb = gzipSync(Buffer.alloc(5000))
  expect(await decodeBody(bomb, 'gzip', 1024)).toBe('too_large')
  expect(await decodeBody(gzipSync(bomb), 'gzip, gzip', 1024)).toBe('too_large')
  expect(await decodeBody(bomb, 'gzip, utf-8', 1024)).toMatchObject({ isHidden: true })
  expect(await decodeBody(Buffer.alloc(1025), 'utf-8', 1024)).toBe('too_large')
})
