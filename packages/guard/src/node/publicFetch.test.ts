import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import zlib from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { readBody } from '../readBody.ts'
import { listen, type TestServer } from '../testing/listen.ts'
import type { FetchLike } from '../types.ts'
import { findProxy } from './http/tunnel.ts'
import { createPublicFetch } from './publicFetch.ts'

/** Behavior of the server, chosen by the path. */
type Answer = { status: number; codings: string; hops: number[]; text: string }
type Arrived = { method: string; url: string; headers: object; body: string }

const ENCODERS: Record<string, (body: Buffer) => Buffer> = {
  gzip: (body) => zlib.gzipSync(body),
  'x-gzip': (body) => zlib.gzipSync(body),
  deflate: (body) => zlib.deflateSync(body),
  raw: (body) => zlib.deflateRawSync(body),
  br: (body) => zlib.brotliCompressSync(body),
}
let server: TestServer
let arrived: Arrived[] = []
const privately = createPublicFetch({ allowPrivateHosts: true, env: {} })

async function record(request: IncomingMessage): Promise<void> {
  const { connection: _, ...headers } = request.headers
  let body = ''
  for await (const chunk of request) body += chunk.toString('latin1')
  arrived.push({ method: request.method ?? '', url: request.url ?? '', headers, body })
}

beforeAll(async () => {
  server = await listen(async (request, response) => {
    await record(request)
    const answer: Answer = JSON.parse(decodeURIComponent(request.url?.slice(1) ?? ''))
    const [hop, ...hops] = answer.hops
    if (hop !== undefined) {
      response.writeHead(hop, { location: `/${encodeURIComponent(JSON.stringify({ ...answer, hops }))}` })
      return response.end('moved')
    }
    const codings = answer.codings.split(', ').filter(Boolean)
    const encode = (body: Buffer, coding: string) => ENCODERS[coding]?.(body) ?? body
    const content = codings.reduce(encode, Buffer.from(answer.text))
    if (codings.length > 0) response.setHeader('content-encoding', answer.codings.replace('raw', 'deflate'))
    response.setHeader('set-cookie', ['a=1', 'b=2'])
    response.writeHead(answer.status)
    response.end(content)
  })
})
afterAll(() => server.stop())

async function outcomeOf(fetch: FetchLike, answer: Answer, init: RequestInit) {
  arrived = []
  const url = `${server.url}/${encodeURIComponent(JSON.stringify(answer))}#top`
  const response = await fetch(url, init)
  const { status, statusText, redirected, headers } = response
  const kept = [...headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name))
  const text = await response.text().catch((error: Error) => error.name)
  return { arrived, status, statusText, redirected, url: response.url, headers: kept, text }
}

const answers = fc.record({
  status: fc.constantFrom(200, 201, 204, 304, 400, 402, 404, 500, 503),
  codings: fc.constantFrom(
    '',
    'gzip',
    'x-gzip',
    'deflate',
    'raw',
    'br',
    'deflate, gzip',
    'zip',
    'constructor',
  ),
  hops: fc.array(fc.constantFrom(301, 302, 303, 307, 308), { maxLength: 3 }),
  text: fc.string({ maxLength: 200 }),
})
const bodies = fc.constantFrom<() => RequestInit['body']>(
  () => null,
  () => '',
  () => '{"a":1}',
  () => new URLSearchParams({ a: '°C' }),
  // As a Blob, since Node 20 cannot send an Uint8Array again after a redirect.
  () => new Blob([new Uint8Array([0, 255, 10])]),
  () => new Blob(['x'], { type: 'text/csv' }),
)
const requests = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
  body: bodies,
  headers: fc.constantFrom<HeadersInit>(
    {},
    { accept: 'text/plain', 'X-Key': 'ÿ', 'user-agent': 'agent/1' },
    [
      ['x-list', '1'],
      ['x-list', '2'],
      ['content-type', 'application/json'],
    ],
    { 'content-language': 'en', 'accept-encoding': 'identity' },
  ),
  redirect: fc.constantFrom<RequestRedirect>('follow', 'follow', 'manual'),
})

describe('createPublicFetch', () => {
  test('default: sends and returns what the stock fetch does, over generated requests and answers', async () => {
    await fc.assert(
      fc.asyncProperty(requests, answers, async ({ body, method, ...rest }, answer) => {
        const given = ['GET', 'HEAD'].includes(method) ? null : body()
        const init = { ...rest, method, ...(given !== null && { body: given }) } as RequestInit
        const stock = await outcomeOf(fetch, answer, init)
        expect(await outcomeOf(privately, answer, init)).toEqual(stock)
      }),
      { numRuns: 150 },
    )
  })

  test.each([
    ['gzip', 303, 'POST'],
    ['br', 302, 'POST'],
    ['raw', 307, 'DELETE'],
  ])('behavior: reads %s after a %i of a %s', async (codings, hop, method) => {
    const answer = { status: 200, codings, hops: [hop], text: 'weather' }
    const { text, arrived } = await outcomeOf(privately, answer, { method, body: '{"a":1}' })
    expect(text).toBe('weather')
    const last = hop === 307 ? { method, body: '{"a":1}' } : { method: 'GET', body: '' }
    expect(arrived).toMatchObject([{ method, body: '{"a":1}' }, last])
    if (hop === 307) expect(arrived[1]?.headers).toMatchObject({ 'content-length': '7' })
  })

  test('behavior: follows a Location by its bytes, as fetch does', async () => {
    const seen: unknown[] = []
    const moved = await listen(({ url }, response) => {
      seen.push(url)
      const location = Buffer.from('/Ü?ü').toString('latin1')
      if (url === '/') response.writeHead(302, { location }).end()
      else response.end()
    })
    onTestFinished(() => moved.stop())
    for (const fetch of [globalThis.fetch, privately]) await fetch(moved.url)
    expect(seen).toEqual(['/', '/%C3%9C?%C3%BC', '/', '/%C3%9C?%C3%BC'])
  })

  test('error: refuses redirects to another origin, and more than three', async () => {
    const other = await listen((_, response) => response.writeHead(302, { location: server.url }).end())
    onTestFinished(() => other.stop())
    await expect(privately(other.url)).rejects.toThrow('Redirect refused')
    const hops = [301, 301, 301, 301]
    await expect(outcomeOf(privately, { status: 200, codings: '', hops, text: '' }, {})).rejects.toThrow(
      'Redirect refused',
    )
  })

  test('error: an answer that no Response can hold, and a body that does not decode, reject', async () => {
    const broken = await listen((request, response) => {
      if (request.url === '/status') return void response.socket?.end('HTTP/1.1 999 x\r\n\r\n')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip')
    })
    onTestFinished(() => broken.stop())
    await expect(privately(`${broken.url}/status`)).rejects.toThrow('fetch failed')
    await expect((await privately(broken.url)).text()).rejects.toThrow()
  })

  test('error: an abort rejects with its reason, and a network error names its cause', async () => {
    const silent = await listen(() => {})
    onTestFinished(() => silent.stop())
    const abort = new AbortController()
    const call = privately(silent.url, { signal: abort.signal })
    setTimeout(() => abort.abort('enough'), 20)
    await expect(call).rejects.toBe('enough')
    await expect(privately(silent.url, { signal: abort.signal })).rejects.toBe('enough')
    await expect(privately('http://127.0.0.1:1/')).rejects.toMatchObject({
      message: 'fetch failed',
      cause: { code: 'ECONNREFUSED' },
    })
  })

  test('behavior: names below localhost lead to this machine, even where its resolver does not know them', async () => {
    const url = server.url.replace('127.0.0.1', 'shop.localhost')
    const answer: Answer = { status: 200, codings: '', hops: [], text: 'sold' }
    const response = await privately(`${url}/${encodeURIComponent(JSON.stringify(answer))}`)
    expect([response.status, await response.text()]).toEqual([200, 'sold'])
  })

  test('error: refuses private addresses', async () => {
    const publicly = createPublicFetch({ env: {} })
    for (const host of ['127.0.0.1', 'localhost', 'shop.localhost', '[::1]', '169.254.169.254', '10.0.0.1']) {
      await expect(publicly(`http://${host}/`)).rejects.toMatchObject({ name: 'PrivateAddressError' })
    }
  })
})

describe('createPublicFetch behind a proxy', () => {
  /** Starts a proxy that leads every tunnel to the server, and the list of the addresses it was asked for. */
  async function startProxy(status = 200) {
    const asked: string[] = []
    const first: number[] = []
    const closed: Promise<unknown>[] = []
    const proxy = createServer((_, response) => response.writeHead(400).end())
    proxy.on('connect', (request, socket) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim())
      socket.write(`HTTP/1.1 ${status} x\r\n\r\n`)
      if (status !== 200) return void socket.end()
      socket.once('data', (chunk) => first.push(chunk[0] ?? 0))
      closed.push(once(socket, 'close'))
      const target = connect(Number(new URL(server.url).port), '127.0.0.1')
      socket.pipe(target).pipe(socket)
      for (const one of [socket, target]) one.on('error', () => one.destroy())
    })
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
    onTestFinished(() => void proxy.close())
    const url = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
    return { url, asked, first, closed }
  }
  const path = encodeURIComponent(JSON.stringify({ status: 200, codings: 'gzip', hops: [], text: 'hi' }))

  test('default: tells the proxy the address that was checked, and sends the request through it', async () => {
    const { url, asked } = await startProxy()
    const fetch = createPublicFetch({ env: { HTTP_PROXY: `http://me:p%40ss@${url}` } })
    arrived = []
    const response = await fetch(`http://8.8.8.8:81/${path}`, { method: 'DELETE', body: 'x' })
    expect(await readBody(response, 99, 999)).toBe('hi')
    expect(asked).toEqual([`8.8.8.8:81 Basic ${Buffer.from('me:p@ss').toString('base64')}`])
    expect(arrived).toMatchObject([{ method: 'DELETE', headers: { host: '8.8.8.8:81' }, body: 'x' }])
  })

  test('behavior: sends a stream as it comes, with the length if it is given, and closes the tunnel after the answer', async () => {
    const { url, closed } = await startProxy()
    const fetch = createPublicFetch({ env: { HTTP_PROXY: url }, isBare: true })
    for (const [headers, framing] of [
      [{}, { 'transfer-encoding': 'chunked' }],
      [{ 'content-length': '3' }, { 'content-length': '3' }],
    ] as const) {
      arrived = []
      const init: RequestInit = { method: 'POST', headers, body: new Blob(['abc']).stream() }
      const response = await fetch(`http://8.8.8.8/${path}`, { ...init, duplex: 'half' } as RequestInit)
      expect(await readBody(response, 99, 999)).toBe('hi')
      const sent = { host: '8.8.8.8', 'accept-encoding': 'gzip, deflate', ...framing }
      expect(arrived).toMatchObject([{ method: 'POST', headers: sent, body: 'abc' }])
      expect(Object.keys(arrived[0]?.headers ?? {})).toHaveLength(3)
    }
    await Promise.all(closed)
    expect(closed).toHaveLength(2)
  })

  test('behavior: speaks TLS with the host through the proxy', async () => {
    const { url, asked, first } = await startProxy()
    const fetch = createPublicFetch({ env: { https_proxy: url } })
    await expect(fetch('https://[2606:4700::1111]/')).rejects.toThrow('fetch failed')
    expect([asked, first]).toEqual([['[2606:4700::1111]:443'], [0x16]])
  })

  test('behavior: reaches allowed private hosts without the proxy', async () => {
    const { url, asked } = await startProxy()
    const fetch = createPublicFetch({ env: { http_proxy: url }, allowPrivateHosts: true })
    expect((await fetch(`${server.url}/${path}`)).ok).toBe(true)
    expect(asked).toEqual([])
  })

  test.each([
    ['https://api.example.com/', 'HTTPS_PROXY'],
    ['http://api.example.com/', 'HTTP_PROXY'],
  ])('behavior: %s is reached through %s, unless NO_PROXY names its host', (url, name) => {
    const proxyOf = (exceptions: string) =>
      findProxy(new URL(url), { [name]: 'proxy:3128', NO_PROXY: exceptions })?.href ?? null
    for (const exceptions of ['', 'ample.com', 'other.example.com', 'api.example.com:81']) {
      expect(proxyOf(exceptions)).toBe('http://proxy:3128/')
    }
    for (const exceptions of ['*', 'x, example.com', '.example.com', '*.example.com', 'API.example.com']) {
      expect(proxyOf(exceptions)).toBe(null)
    }
  })

  test('error: refuses private addresses behind a proxy, and names a proxy that refuses', async () => {
    const { url, asked } = await startProxy(403)
    const fetch = createPublicFetch({ env: { HTTP_PROXY: url } })
    await expect(fetch('http://127.0.0.1/')).rejects.toMatchObject({ name: 'PrivateAddressError' })
    expect(asked).toEqual([])
    await expect(fetch('http://8.8.8.8/')).rejects.toMatchObject({
      cause: { message: `The proxy ${url} answered 403.` },
    })
    const socks = createPublicFetch({ env: { HTTP_PROXY: 'socks5://me:secret@x' } })
    await expect(socks('http://8.8.8.8/')).rejects.toThrow('The proxy is not an http or https URL.')
  })
})
