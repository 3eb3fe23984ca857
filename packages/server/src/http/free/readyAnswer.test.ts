import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { listen } from '../testing/listen.ts'
import { chooseCoding, formFor, JSON_TYPE, makeReady, send } from './readyAnswer.ts'

const text = JSON.stringify({ text: 'abc ü € 🙂 '.repeat(300) })
const large = makeReady(text, { type: JSON_TYPE, cacheControl: 'public, max-age=1' })
const bytes = Buffer.from(text)

async function ask(acceptEncoding: string, ifNoneMatch?: string) {
  const origin = await listen(async (request, response) => {
    send(request, response, large, await formFor(large, request))
  })
  const { request } = await import('node:http')
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; body: Buffer }>(
    (resolve, reject) => {
      const headers = {
        'accept-encoding': acceptEncoding,
        ...(ifNoneMatch && { 'if-none-match': ifNoneMatch }),
      }
      request(origin, { headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
        )
      })
        .on('error', reject)
        .end()
    },
  )
}

test('default', async () => {
  const plain = await ask('identity')
  const gzip = await ask('gzip')
  const brotli = await ask('gzip, deflate, br')
  expect(plain.body.equals(bytes)).toBe(true)
  expect(gunzipSync(gzip.body).equals(bytes)).toBe(true)
  expect(brotliDecompressSync(brotli.body).equals(bytes)).toBe(true)
  expect([plain, gzip, brotli].map(({ headers }) => headers['content-encoding'])).toEqual([
    undefined,
    'gzip',
    'br',
  ])
  // A strong ETag identifies bytes, so each form has its own.
  expect(new Set([plain, gzip, brotli].map(({ headers }) => headers.etag)).size).toBe(3)
  expect(plain.headers.vary).toBe('Accept-Encoding')
})

test('behavior: answers 304 to a client that holds any form of the content', async () => {
  for (const tag of [`"${large.tag}"`, `W/"${large.tag}"`, `"${large.tag}-gzip"`, '*']) {
    expect((await ask('br', tag)).status).toBe(304)
  }
  expect((await ask('br', `"${large.tag}x"`)).status).toBe(200)
})

test('behavior: a body is compressed once for each coding', async () => {
  await ask('gzip')
  const { gzip } = large.coded
  await ask('gzip')
  expect(large.coded.gzip).toBe(gzip)
})

test('behavior: a coding refused with q=0 is not used', () => {
  expect(chooseCoding('br;q=0, gzip')).toBe('gzip')
  expect(chooseCoding('br;q=0.0, gzip;q=0')).toBeUndefined()
  expect(chooseCoding(undefined)).toBeUndefined()
})

test('behavior: a small body is not compressed', () => {
  const small = makeReady('{}', { type: JSON_TYPE, cacheControl: 'no-store' })
  expect(formFor(small, new IncomingMessage(new Socket()))).toBe(small)
})
