import { readFileSync } from 'node:fs'
import { FREE_OPERATIONS, OPERATIONS, PAID_OPERATIONS } from '@touchstone402/shared'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Paywall } from '../payments/paywall.ts'
import { DEADLINE_MS } from './free/freeRoute.ts'
import { LIVE_DEADLINE_MS } from './paidRoute.ts'
import { createSmallAnswers } from './testing/answers.ts'
import { startHttpApp } from './testing/startHttpApp.ts'

const malformedQueries = readFileSync(
  new URL('../../../shared/fixtures/malformed-queries.txt', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split('\t')[0] ?? '')

test('behavior: an unpaid call of a paid operation is 402, even with an invalid query', async () => {
  const origin = await startHttpApp()
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

test('error: a malformed query is 400 on free operations that declare the parameter, and ignored elsewhere', async () => {
  const origin = await startHttpApp()
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

test('error: an unknown path is 404, including an extra slash or another case', async () => {
  const origin = await startHttpApp()
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

test('error: a handler that throws is a bare 500, and only the log gets its error', async () => {
  const seen: unknown[] = []
  const origin = await startHttpApp({
    answers: { ...createSmallAnswers(), status: () => Promise.reject(new Error('secret path /var/data')) },
    log: (_level, message) => void seen.push(message),
  })
  const response = await fetch(`${origin}/status.json`)
  expect(response.status).toBe(500)
  expect(await response.text()).not.toMatch(/secret|stack|\.ts/)
  expect(seen).toEqual(['request failed: secret path /var/data'])
})

/** Stops timers until the test ends. Returns a function that passes time in ms. */
function holdTimers() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  return (ms: number) => vi.advanceTimersByTime(ms)
}

test('error: a handler or page over its time limit is 503 with Retry-After', async () => {
  const passTime = holdTimers()
  const hang = () => {
    setImmediate(passTime, DEADLINE_MS)
    return new Promise<never>(() => {})
  }
  const origin = await startHttpApp({
    answers: { ...createSmallAnswers(), status: hang },
    pages: [{ path: '/slow', handler: hang }],
  })
  for (const path of ['/status.json', '/slow']) {
    const response = await fetch(origin + path)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('5')
    expect(await response.json()).toMatchObject({ code: 'deadline_exceeded' })
  }
})

test('error: a paid handler is aborted at its time limit and when the client disconnects', async () => {
  const heard: unknown[] = []
  let leave = () => {}
  const paywall: Paywall = {
    async sell({ refusal }, produce) {
      expect(refusal).toBeNull()
      const client = new AbortController()
      leave = () => client.abort('the client disconnected')
      const production = await produce('0x70997970C51812dc3A010C7d01b50e0d17dc79C8', client.signal)
      return production.ok ? { kind: 'abandoned' } : { kind: 'refused', refusal: production.refusal }
    },
  }
  const passTime = holdTimers()
  const origin = await startHttpApp({
    paywall,
    answers: {
      ...createSmallAnswers(),
      trust: (_query, { signal }) => {
        setImmediate(passTime, LIVE_DEADLINE_MS)
        return new Promise(() => signal.addEventListener('abort', () => heard.push(signal.reason)))
      },
      trustHistory: (_query, { signal }) => {
        setImmediate(passTime, DEADLINE_MS)
        return new Promise(() => {
          signal.addEventListener('abort', () => heard.push(signal.reason))
          leave()
        })
      },
    },
  })
  for (const operation of ['trust', 'trustHistory'] as const) {
    const { path } = OPERATIONS[operation]
    const response = await fetch(`${origin}${path}?endpoint=https://api.example/`)
    expect([path, response.status]).toEqual([path, 503])
  }
  expect(heard).toEqual([expect.objectContaining({ name: 'ProblemError' }), 'the client disconnected'])
})

test('error: free calls over the limit are 429 with Retry-After; paid calls are not limited', async () => {
  const origin = await startHttpApp({ config: { rateLimitPerMinute: 2 } })
  const statuses = []
  for (let call = 0; call < 3; call++) statuses.push((await fetch(`${origin}/status.json`)).status)
  expect(statuses).toEqual([200, 200, 429])
  const refused = await fetch(`${origin}/changes.json`)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const wait = refused.headers.get('retry-after')
  expect(refused.headers.get('ratelimit')).toBe(`"default";r=0;t=${wait}`)
  expect(refused.headers.get('ratelimit-policy')).toMatch(/^"default";q=2;w=\d+$/)
  expect((await fetch(`${origin}/trust`)).status).toBe(402)
  expect((await fetch(`${origin}/healthz`)).status).toBe(200)
})

test('error: a request body is refused unread', async () => {
  const origin = await startHttpApp()
  const response = await fetch(`${origin}/trust`, { method: 'POST', body: 'x'.repeat(20_000) })
  expect(response.status).toBe(413)
})
