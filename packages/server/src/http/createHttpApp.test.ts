import { readFileSync } from 'node:fs'
import { FREE_OPERATIONS, OPERATIONS, PAID_OPERATIONS } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import type { Paywall } from '../ports/paywall.ts'
import { createHttpApp } from './createHttpApp.ts'
import type { HttpDeps, RequestRecord } from './deps.ts'
import { createSmallAnswers } from './testing/answers.ts'
import { listen } from './testing/listen.ts'

const NOW = Date.parse('2026-01-31T12:00:00Z')

/** Takes everybody for somebody who did not pay. */
const closedPaywall: Paywall = {
  sell: async () => ({
    kind: 'challenge',
    headers: { 'PAYMENT-REQUIRED': 'e30=' },
    body: '{"x402Version":1}',
  }),
}

function start(more: Partial<HttpDeps> = {}) {
  return listen(
    createHttpApp({
      answers: createSmallAnswers(),
      paywall: closedPaywall,
      clock: { now: () => NOW },
      publicUrl: 'https://trust.example',
      jwks: () => ({ keys: [{ kty: 'OKP', kid: 'one' }] }),
      ...more,
    }),
  )
}

const malformedQueries = readFileSync(
  new URL('../../../shared/fixtures/malformed-queries.txt', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split('\t')[0] ?? '')

test('default', async () => {
  const origin = await start()
  const response = await fetch(`${origin}/verify?endpoint=HTTPS://API.example.com:443/weather%3Fa`)
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({
    endpoint: 'https://api.example.com/weather',
    known: false,
  })
  expect(response.headers.get('cache-control')).toBe('public, max-age=60, stale-while-revalidate=60')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('access-control-expose-headers')).toContain('PAYMENT-RESPONSE')
  expect(response.headers.get('x-powered-by')).toBeNull()
})

test('behavior: HEAD of a free operation has the headers of GET and no body', async () => {
  const origin = await start()
  const [get, head] = await Promise.all([
    fetch(`${origin}/status.json`),
    fetch(`${origin}/status.json`, { method: 'HEAD' }),
  ])
  expect(head.status).toBe(200)
  expect(head.headers.get('etag')).toBe(get.headers.get('etag'))
  expect(head.headers.get('content-length')).toBe(String((await get.arrayBuffer()).byteLength))
  expect(await head.text()).toBe('')
})

test('behavior: an answer that the client has is 304', async () => {
  const origin = await start()
  const etag = (await fetch(`${origin}/status.json`)).headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[\w-]{27}"$/)
  const again = await fetch(`${origin}/status.json`, { headers: { 'If-None-Match': `"other", ${etag}` } })
  expect(again.status).toBe(304)
  expect(await again.text()).toBe('')
  const other = await fetch(`${origin}/status.json`, { headers: { 'If-None-Match': '"other"' } })
  expect(other.status).toBe(200)
})

test('behavior: caches may not hold an answer beyond its expiry', async () => {
  const answers = createSmallAnswers()
  const { verify } = answers
  const startWith = (expiresAt: number) =>
    start({
      answers: {
        ...answers,
        verify: async (query) => ({ ...(await verify(query)), expiresAt }),
      },
    })
  const ask = async (expiresAt: number) =>
    (await fetch(`${await startWith(expiresAt)}/verify?endpoint=http://a.example/`)).headers.get(
      'cache-control',
    )
  expect(await ask(NOW + 90_500)).toBe('public, max-age=60, stale-while-revalidate=30')
  expect(await ask(NOW - 1)).toBe('public, max-age=0, stale-while-revalidate=0')
})

test('behavior: other methods are 405 and name the right ones', async () => {
  const origin = await start()
  for (const id of [...FREE_OPERATIONS, ...PAID_OPERATIONS]) {
    const allow = OPERATIONS[id].priceUsd === null ? 'GET, HEAD, OPTIONS' : 'GET, OPTIONS'
    for (const method of [
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'QUERY',
      ...(allow.includes('HEAD') ? [] : ['HEAD']),
    ]) {
      const response = await fetch(origin + OPERATIONS[id].path, { method })
      expect([id, method, response.status]).toEqual([id, method, 405])
      expect(response.headers.get('allow')).toBe(allow)
      await response.arrayBuffer()
    }
    const options = await fetch(origin + OPERATIONS[id].path, { method: 'OPTIONS' })
    expect(options.status).toBe(204)
    expect(options.headers.get('access-control-allow-methods')).toBe(allow)
    expect(options.headers.get('access-control-allow-headers')).toContain('PAYMENT-SIGNATURE, X-PAYMENT')
  }
})

test('behavior: an unpaid call of a paid operation is 402 whatever the query', async () => {
  const origin = await start()
  for (const id of PAID_OPERATIONS) {
    for (const query of ['', 'endpoint=nonsense', ...malformedQueries]) {
      const response = await fetch(`${origin}${OPERATIONS[id].path}?${query}`)
      expect([id, query, response.status]).toEqual([id, query, 402])
      expect(response.headers.get('cache-control')).toBe('private, no-store')
      expect(response.headers.get('etag')).toBeNull()
      await response.arrayBuffer()
    }
  }
})

test('error: a malformed query is 400 on every free operation that declares the parameter, and nothing worse elsewhere', async () => {
  const origin = await start()
  expect(malformedQueries.length).toBeGreaterThan(20)
  for (const id of FREE_OPERATIONS) {
    const declared = Object.keys(OPERATIONS[id].query)
    for (const query of malformedQueries) {
      const response = await fetch(`${origin}${OPERATIONS[id].path}?${query}`)
      const name = /^(\w+)(\[\])?(=|$)/.exec(query)?.[1] ?? ''
      // An operation that requires a parameter refuses every query that lacks it.
      const wanted = declared.includes(name) || id === 'verify' ? 400 : 200
      expect([id, query, response.status]).toEqual([id, query, wanted])
      if (wanted === 400) {
        expect(response.headers.get('content-type')).toBe('application/problem+json')
        const problem = await response.json()
        expect(problem).toMatchObject({ status: 400, code: 'invalid_query' })
        expect(problem.errors.length).toBeGreaterThan(0)
      } else await response.arrayBuffer()
    }
  }
})

test('error: an unknown path is 404, also with a slash or case too many', async () => {
  const origin = await start()
  for (const path of [
    '/nothing',
    '/verify/',
    '/Verify',
    '//verify',
    '/trust/',
    '/__proto__',
    '/%2e%2e/etc',
  ]) {
    const response = await fetch(origin + path)
    expect([path, response.status]).toEqual([path, 404])
    expect(await response.json()).toMatchObject({ code: 'not_found', title: 'Not Found' })
  }
})

test('error: a handler that throws is a bare 500, and its error is told to the log alone', async () => {
  const seen: unknown[] = []
  const origin = await start({
    answers: { ...createSmallAnswers(), status: () => Promise.reject(new Error('secret path /var/data')) },
    onError: (error) => seen.push(error),
  })
  const response = await fetch(`${origin}/status.json`)
  expect(response.status).toBe(500)
  expect(await response.text()).not.toMatch(/secret|stack|\.ts/)
  expect(seen).toHaveLength(1)
})

test('error: a handler that takes too long is 503 with Retry-After, that of a page too', async () => {
  const origin = await start({
    deadlineMs: 50,
    answers: { ...createSmallAnswers(), status: () => new Promise(() => {}) },
    pages: [{ path: '/slow', handler: () => new Promise(() => {}) }],
  })
  for (const path of ['/status.json', '/slow']) {
    const response = await fetch(origin + path)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('5')
    expect(await response.json()).toMatchObject({ code: 'deadline_exceeded' })
  }
})

test('error: a paid handler that takes too long is refused, and hears of it as it hears of a client that leaves', async () => {
  const heard: unknown[] = []
  let leave = () => {}
  const paywall: Paywall = {
    async sell({ refusal }, produce) {
      expect(refusal).toBeNull()
      const client = new AbortController()
      leave = () => client.abort('the client has gone')
      const production = await produce('0x70997970C51812dc3A010C7d01b50e0d17dc79C8', client.signal)
      return production.ok ? { kind: 'abandoned' } : { kind: 'refused', refusal: production.refusal }
    },
  }
  const origin = await start({
    deadlineMs: 50,
    paywall,
    answers: {
      ...createSmallAnswers(),
      trust: (_query, { signal }) =>
        new Promise(() => signal.addEventListener('abort', () => heard.push(signal.reason))),
      trustHistory: (_query, { signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => heard.push(signal.reason))
          leave()
        }),
    },
  })
  for (const operation of ['trust', 'trustHistory'] as const) {
    const { path } = OPERATIONS[operation]
    const response = await fetch(`${origin}${path}?endpoint=https://api.example/`)
    expect([path, response.status]).toEqual([path, 503])
  }
  expect(heard).toEqual([expect.objectContaining({ name: 'ProblemError' }), 'the client has gone'])
})

test('error: too many free calls are 429 with Retry-After, and only the free ones', async () => {
  const origin = await start({ rateLimit: { points: 2, windowSeconds: 60 } })
  const statuses = []
  for (let call = 0; call < 3; call++) statuses.push((await fetch(`${origin}/status.json`)).status)
  expect(statuses).toEqual([200, 200, 429])
  const refused = await fetch(`${origin}/changes.json`)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await fetch(`${origin}/trust`)).status).toBe(402)
  expect((await fetch(`${origin}/healthz`)).status).toBe(200)
})

test('error: a request body that nobody asked for is refused without reading it', async () => {
  const origin = await start()
  const response = await fetch(`${origin}/trust`, { method: 'POST', body: 'x'.repeat(20_000) })
  expect(response.status).toBe(413)
})

test('behavior: pages get their parameters and what the client accepts', async () => {
  const origin = await start({
    pages: [
      {
        path: '/services/:host',
        handler: ({ params, accepts }) => ({ type: 'text/plain', body: `${params.host} as ${accepts}` }),
      },
    ],
  })
  const ask = async (accept: string) =>
    (await fetch(`${origin}/services/a.example%3A80`, { headers: { accept } })).text()
  expect(await ask('text/html,*/*;q=0.8')).toBe('a.example:80 as html')
  expect(await ask('*/*')).toBe('a.example:80 as json')
  expect((await fetch(`${origin}/services/%E0%A4%A`)).status).toBe(400)
})

test('behavior: keys, health and OpenAPI are there', async () => {
  const origin = await start({ prices: { trust: '0.02' } })
  const json = async (path: string) => (await fetch(origin + path)).json()
  expect(await json('/.well-known/jwks.json')).toEqual({ keys: [{ kty: 'OKP', kid: 'one' }] })
  expect(await json('/healthz')).toEqual({ status: 'ok' })
  const document = await json('/openapi.json')
  expect(document.servers).toEqual([{ url: 'https://trust.example' }])
  expect(document.paths['/trust'].get['x-price-usd']).toBe('0.02')
})

test('behavior: the Host header is nowhere in an answer', async () => {
  const origin = await start()
  const { port } = new URL(origin)
  const { request } = await import('node:http')
  for (const path of ['/openapi.json', '/nothing', '/trust', '/verify?endpoint=http://a.example/']) {
    const text = await new Promise<string>((resolve, reject) => {
      request(
        { port, path, headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' } },
        (response) => {
          const chunks: Buffer[] = [Buffer.from(JSON.stringify(response.headers))]
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('end', () => resolve(Buffer.concat(chunks).toString()))
        },
      )
        .on('error', reject)
        .end()
    })
    expect(text).not.toContain('evil')
  }
})

test('behavior: every answer carries the hardening headers, whoever sends it', async () => {
  const small = createSmallAnswers()
  const origin = await start({
    answers: {
      ...small,
      status: async (query) => ({ ...(await small.status(query)), isCurrent: () => true }),
    },
  })
  for (const path of ['/status.json', '/status.json', '/trust', '/nothing', '/openapi.json', '/verify']) {
    const { headers } = await fetch(origin + path)
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.*frame-ancestors 'none'$/)
    expect(headers.get('content-security-policy')).not.toContain('unsafe')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('strict-transport-security')).toContain('max-age')
  }
})

test('behavior: requests are told of by route, without what callers wrote', async () => {
  const records: RequestRecord[] = []
  const small = createSmallAnswers()
  const origin = await start({
    onRequest: (record) => records.push(record),
    answers: {
      ...small,
      status: async (query) => ({ ...(await small.status(query)), isCurrent: () => true }),
    },
    pages: [{ path: '/services/:host', handler: () => ({ type: 'text/plain', body: 'x' }) }],
  })
  for (const path of [
    '/status.json?a=secret',
    '/status.json?a=secret',
    '/services/secret',
    '/secret',
    '/trust?secret',
  ]) {
    await (await fetch(origin + path)).arrayBuffer()
  }
  await expect.poll(() => records.length).toBe(5)
  expect(records.map(({ route, status, fromMemory }) => [route, status, fromMemory])).toEqual([
    ['/status.json', 200, false],
    ['/status.json', 200, true],
    ['/services/:host', 200, false],
    ['none', 404, false],
    ['/trust', 402, false],
  ])
  expect(
    records.every(
      ({ client, method, isAborted }) => client === '127.0.0.1' && method === 'GET' && !isAborted,
    ),
  ).toBe(true)
  expect(JSON.stringify(records)).not.toContain('secret')
})

test('behavior: /readyz says what it goes by, and 503 where it is not ready', async () => {
  let isReady = false
  const origin = await start({
    readiness: () => ({ isReady, checks: { store: isReady ? 'ok' : 'not writable' } }),
  })
  const before = await fetch(`${origin}/readyz`)
  expect(before.status).toBe(503)
  expect(await before.json()).toEqual({ status: 'not_ready', checks: { store: 'not writable' } })
  isReady = true
  expect((await fetch(`${origin}/readyz`)).status).toBe(200)
})
