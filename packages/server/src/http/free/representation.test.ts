import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { listen } from '../testing/listen.ts'
import { chooseCoding, createJsonRepresentation, type Ending, prepare, write } from './representation.ts'

const text = JSON.stringify({ text: 'abc ü € 🙂 '.repeat(300) })
const large = createJsonRepresentation(text)
const bytes = Buffer.from(text)

async function ask(acceptEncoding: string, ifNoneMatch?: string, ending?: Ending) {
  const origin = await listen((request, response) => {
    const coding = chooseCoding(request.headers['accept-encoding'], large.body.length)
    const options = { cacheControl: 'public, max-age=1', ending }
    void Promise.resolve(prepare(large, coding, options)).then((made) => write(request, response, made))
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
  // A strong ETag names bytes, so each form has its own.
  expect(new Set([plain, gzip, brotli].map(({ headers }) => headers.etag)).size).toBe(3)
  expect(plain.headers.vary).toBe('Accept-Encoding')
})

test('behavior: any form of the content that the client holds is a match', async () => {
  for (const tag of [`"${large.etag}"`, `W/"${large.etag}"`, `"${large.etag}-gzip"`, '*']) {
    expect((await ask('br', tag)).status).toBe(304)
  }
  expect((await ask('br', `"${large.etag}x"`)).status).toBe(200)
})

test('behavior: an answer that ages is whole in each form, and has another ETag with each age', async () => {
  const tags = new Set<unknown>()
  for (const tag of ['1', '2']) {
    const ending = { text: `,"age":${tag}}`, tag, until: 0 }
    const whole = text + ending.text
    const plain = await ask('identity', undefined, ending)
    expect(plain.body.toString()).toBe(whole)
    expect(plain.headers['content-length']).toBe(String(Buffer.byteLength(whole)))
    for (let call = 0; call < 2; call++) {
      const gzip = await ask('gzip', undefined, ending)
      expect(gunzipSync(gzip.body).toString()).toBe(whole)
      tags.add(gzip.headers.etag)
    }
    expect((await ask('gzip', String(plain.headers.etag), ending)).status).toBe(304)
    tags.add(plain.headers.etag)
  }
  expect(tags.size).toBe(4)
  expect((await ask('identity', String([...tags][0]), { text: '}', tag: '3', until: 0 })).status).toBe(200)
})

test('behavior: a coding refused with q=0, and a small body, are sent as they are', () => {
  expect(chooseCoding('br;q=0, gzip', 5000)).toBe('gzip')
  expect(chooseCoding('br;q=0.0, gzip;q=0', 5000)).toBeUndefined()
  expect(chooseCoding('br', 2)).toBeUndefined()
})
