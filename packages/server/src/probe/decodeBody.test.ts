import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { decodeBody } from './decodeBody.ts'

const TEXT = JSON.stringify({ x402Version: 1, accepts: [] })
const BYTES = Buffer.from(TEXT)
const MAX = 1024

test('default', async () => {
  expect(await decodeBody(BYTES, undefined, MAX)).toEqual({ text: TEXT })
  expect(await decodeBody(gzipSync(BYTES), 'gzip', MAX)).toEqual({ text: TEXT })
})

test('behavior: decodes what fetch decodes: deflate without a head, several codings, other case', async () => {
  expect(await decodeBody(deflateSync(BYTES), 'deflate', MAX)).toEqual({ text: TEXT })
  expect(await decodeBody(deflateRawSync(BYTES), 'deflate', MAX)).toEqual({ text: TEXT })
  expect(await decodeBody(brotliCompressSync(gzipSync(BYTES)), 'gzip, BR', MAX)).toEqual({ text: TEXT })
  expect(await decodeBody(gzipSync(BYTES), 'identity, x-gzip', MAX)).toEqual({ text: TEXT })
})

test('behavior: a coding that nobody knows leaves the body as it is, as in fetch', async () => {
  expect(await decodeBody(BYTES, 'utf-8', MAX)).toEqual({ text: TEXT })
})

test('behavior: a stream that breaks off is kept up to there, as in fetch', async () => {
  const long = Buffer.from(`${TEXT}${' '.repeat(500)}`)
  const cut = gzipSync(long).subarray(0, -8)
  expect(await decodeBody(cut, 'gzip', MAX)).toEqual({ text: long.toString() })
})

test('error: says which bodies newer platforms would read', async () => {
  expect(await decodeBody(BYTES, 'zstd', MAX)).toBe('unsupported')
  expect(await decodeBody(BYTES, 'gzip', MAX)).toBe('unreadable')
  expect(await decodeBody(BYTES, 'gzip, gzip, gzip, gzip, gzip, gzip', MAX)).toBe('unreadable')
  expect(await decodeBody(gzipSync(Buffer.alloc(5000)), 'gzip', MAX)).toBe('too_large')
})
