import { FREE_OPERATIONS, OPERATIONS, PAID_OPERATIONS } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { CONTRACT_PRICES } from '../config/priceSettings.ts'
import type { RequestRecord } from './deps.ts'
import { createSmallAnswers } from './testing/answers.ts'
import { NOW } from './testing/smallApp.ts'
import { startHttpApp } from './testing/startHttpApp.ts'

test('default', async () => {
  const origin = await startHttpApp()
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
  const origin = await startHttpApp()
  const [get, head] = await Promise.all([
    fetch(`${origin}/status.json`),
    fetch(`${origin}/status.json`, { method: 'HEAD' }),
  ])
  expect(head.status).toBe(200)
  expect(head.headers.get('etag')).toBe(get.headers.get('etag'))
  expect(head.headers.get('content-length')).toBe(String((await get.arrayBuffer()).byteLength))
  expect(await head.text()).toBe('')
})

test('behavior: a matching If-None-Match is answered 304', async () => {
  const origin = await startHttpApp()
  const etag = (await fetch(`${origin}/status.json`)).headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[\w-]{27}"$/)
  const again = await fetch(`${origin}/status.json`, { headers: { 'If-None-Match': `"other", ${etag}` } })
  expect(again.status).toBe(304)
  expect(await again.text()).toBe('')
  const other = await fetch(`${origin}/status.json`, { headers: { 'If-None-Match': '"other"' } })
  expect(other.status).toBe(200)
})

test('behavior: Cache-Control ends at the expiry of the answer', async () => {
  const answers = createSmallAnswers()
  const { verify } = answers
  const startWith = (expiresAt: number) =>
    startHttpApp({
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

test('behavior: other methods are 405 with an Allow header', async () => {
  const origin = await startHttpApp()
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

test('behavior: a page handler gets path parameters and the accepted type', async () => {
  const origin = await startHttpApp({
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
  expect(await ask('*/*')).toBe('a.example:80 as html')
  expect(await ask('application/json, */*')).toBe('a.example:80 as json')
  expect(await (await fetch(`${origin}/services/a.example%3A80.json`)).text()).toBe('a.example:80 as json')
  expect((await fetch(`${origin}/services/%E0%A4%A`)).status).toBe(400)
})

test('behavior: serves keys, health and OpenAPI', async () => {
  const origin = await startHttpApp({ config: { prices: { ...CONTRACT_PRICES, trust: '0.02' } } })
  const json = async (path: string) => (await fetch(origin + path)).json()
  expect(await json('/.well-known/jwks.json')).toEqual({ keys: [{ kty: 'OKP', kid: 'one' }] })
  expect(await json('/healthz')).toEqual({ status: 'ok' })
  const document = await json('/openapi.json')
  expect(document.servers).toEqual([{ url: 'https://trust.example' }])
  expect(document.paths['/trust'].get['x-price-usd']).toBe('0.02')
})

test('behavior: no answer contains the Host header', async () => {
  const origin = await startHttpApp()
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

test('behavior: every answer has the hardening headers, cached, paid and refused ones too', async () => {
  const small = createSmallAnswers()
  const origin = await startHttpApp({
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

test('behavior: requests are recorded by route, without caller input', async () => {
  const records: RequestRecord[] = []
  const small = createSmallAnswers()
  const origin = await startHttpApp({
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

test('behavior: /readyz lists its checks, and is 503 only if this process cannot answer', async () => {
  let status: 'not_ready' | 'degraded' | 'ready' = 'not_ready'
  const origin = await startHttpApp({
    readiness: () => ({ status, checks: { store: status === 'not_ready' ? 'unavailable' : 'ok' } }),
  })
  const before = await fetch(`${origin}/readyz`)
  expect(before.status).toBe(503)
  expect(await before.json()).toEqual({ status: 'not_ready', checks: { store: 'unavailable' } })
  for (status of ['degraded', 'ready'] as const) {
    const after = await fetch(`${origin}/readyz`)
    expect(after.status).toBe(200)
    expect(await after.json()).toEqual({ status, checks: { store: 'ok' } })
  }
})
