import express from 'express'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clientAddress, type TrustProxy } from '../clientAddress.ts'
import { createHttpApp } from '../createHttpApp.ts'
import type { FreeAnswer, HttpDeps } from '../deps.ts'
import { createSmallAnswers } from '../testing/answers.ts'
import { listen } from '../testing/listen.ts'

const START = Date.parse('2026-01-31T12:00:10Z')

/** A service whose `/verify` counts its runs and tells the count; everything about its cache can be turned. */
async function start(more: Partial<HttpDeps> = {}) {
  const small = createSmallAnswers()
  const state = { now: START, runs: 0, current: true, expiresAt: undefined as number | undefined }
  const origin = await listen(
    createHttpApp({
      answers: {
        ...small,
        verify: async (query): Promise<FreeAnswer<'verify'>> => {
          const { body } = await small.verify(query)
          state.runs += 1
          return {
            body: { ...body, probes: state.runs, advice: 'x'.repeat(5000) },
            expiresAt: state.expiresAt,
            isCurrent: () => state.current,
          }
        },
      },
      paywall: { sell: async () => ({ kind: 'abandoned' }) },
      clock: { now: () => state.now },
      publicUrl: 'https://trust.example',
      jwks: () => ({ keys: [] }),
      ...more,
    }),
  )
  const ask = (init: RequestInit = {}, host = 'a') =>
    fetch(`${origin}/verify?endpoint=http://${host}.example/`, init)
  return { state, ask, origin }
}

test('default', async () => {
  const { state, ask } = await start()
  const [first, second] = [await ask(), await ask()]
  expect(await second.text()).toBe(await first.text())
  expect(state.runs).toBe(1)
  const headers = (response: Response) =>
    Object.fromEntries([...response.headers].filter(([name]) => name !== 'date'))
  expect(headers(second)).toEqual(headers(first))
  expect(second.headers.get('access-control-allow-origin')).toBe('*')
})

test('behavior: HEAD, 304 and compression work on what lies ready', async () => {
  const { state, ask } = await start()
  const plain = await ask({ headers: { 'accept-encoding': 'identity' } })
  const text = await plain.text()
  const head = await ask({ method: 'HEAD', headers: { 'accept-encoding': 'identity' } })
  expect(head.headers.get('content-length')).toBe(String(text.length))
  expect(await head.text()).toBe('')
  expect((await ask({ headers: { 'if-none-match': plain.headers.get('etag') ?? '' } })).status).toBe(304)
  expect(state.runs).toBe(1)
  for (let call = 0; call < 3; call++) {
    const packed = await ask({ headers: { 'accept-encoding': 'gzip' } })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect((await packed.text()).length).toBe(text.length)
  }
  expect(state.runs).toBe(1)
})

test('behavior: an answer is made again when it is outdated, at the end of its minute, and at its expiry', async () => {
  const { state, ask } = await start()
  await ask()
  state.current = false
  await ask()
  expect(state.runs).toBe(2)
  state.current = true
  await ask()
  expect(state.runs).toBe(2)
  state.now = START + 49_999
  await ask()
  expect(state.runs).toBe(2)
  state.now = START + 50_000
  await ask()
  expect(state.runs).toBe(3)
  // The second has a max-age that stays the same for the first second, and then counts down.
  state.expiresAt = state.now + 5999
  await ask({}, 'b')
  state.now += 999
  await ask({}, 'b')
  expect(state.runs).toBe(4)
  state.now += 1
  expect((await ask({}, 'b')).headers.get('cache-control')).toContain('max-age=4,')
  expect(state.runs).toBe(5)
  state.expiresAt = state.now + 500
  await ask({}, 'c')
  state.now += 499
  await ask({}, 'c')
  expect(state.runs).toBe(6)
  state.now += 1
  await ask({}, 'c')
  expect(state.runs).toBe(7)
})

test('behavior: an answer that names no condition is never held', async () => {
  const { origin } = await start()
  const small = createSmallAnswers()
  let runs = 0
  const plain = await start({
    answers: {
      ...small,
      status: (query) => {
        runs += 1
        return small.status(query)
      },
    },
  })
  for (let call = 0; call < 3; call++) await fetch(`${plain.origin}/status.json`)
  expect(runs).toBe(3)
  expect((await fetch(`${origin}/status.json`)).status).toBe(200)
})

test('behavior: the rate limit counts answers from memory too', async () => {
  const { state, ask } = await start({ rateLimit: { points: 3, windowSeconds: 60 } })
  const statuses = []
  for (let call = 0; call < 5; call++) statuses.push((await ask()).status)
  expect(statuses).toEqual([200, 200, 200, 429, 429])
  expect(state.runs).toBe(1)
  const refused = await ask()
  expect(refused.headers.get('content-type')).toBe('application/problem+json')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('behavior: memory is bounded, and what is asked for again and again stays', async () => {
  const { state, ask } = await start({
    cacheBytes: 200_000,
    rateLimit: { points: 10_000, windowSeconds: 60 },
  })
  await ask({}, 'hot')
  for (let host = 0; host < 300; host++) {
    await ask({}, `h${host}`)
    if (host % 5 === 0) await ask({}, 'hot')
  }
  expect(state.runs).toBe(301)
  await ask({}, 'h0')
  expect(state.runs).toBe(302)
})

test('behavior: the client of a call is whom Express would name', async () => {
  for (const trustProxy of [false, true, 1, 2, ['10.0.0.0/8', '127.0.0.1']]) {
    const app = express()
    app.set('trust proxy', trustProxy)
    const trust: TrustProxy = app.get('trust proxy fn')
    app.get('/', (request, response) => {
      response.json([request.ip, clientAddress(request, trust)])
    })
    const origin = await listen(app)
    const address = fc.oneof(fc.ipV4(), fc.constantFrom('10.1.2.3', '127.0.0.1', 'unknown', '::1'))
    await fc.assert(
      fc.asyncProperty(fc.array(address, { maxLength: 4 }), fc.boolean(), async (hops, spaced) => {
        const headers: Record<string, string> =
          hops.length > 0 ? { 'x-forwarded-for': hops.join(spaced ? ', ' : ',') } : {}
        const [express, ours] = await (await fetch(origin, { headers })).json()
        expect(ours).toBe(express)
      }),
      { numRuns: 30 },
    )
  }
})
