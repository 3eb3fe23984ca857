import { connect } from 'node:net'
import { fuzzRuns } from '@touchstone402/shared/testing'
import express from 'express'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import type { FreeAnswer, RequestRecord } from '../deps.ts'
import { createSmallAnswers } from '../testing/answers.ts'
import { listen } from '../testing/listen.ts'
import type { AppChanges } from '../testing/smallApp.ts'
import { startHttpApp } from '../testing/startHttpApp.ts'
import { clientAddress, type TrustProxy } from './freeListener.ts'

const START = Date.parse('2026-01-31T12:00:10Z')

/** Starts a service whose `/verify` returns its run count; `state` controls how it is cached. */
async function start(changes: AppChanges = {}) {
  const small = createSmallAnswers()
  const state = {
    now: START,
    runs: 0,
    current: true,
    expiresAt: undefined as number | undefined,
    madeAgainAt: undefined as number | undefined,
  }
  const origin = await startHttpApp({
    answers: {
      ...small,
      verify: async (query): Promise<FreeAnswer<'verify'>> => {
        const { body } = await small.verify(query)
        state.runs += 1
        return {
          body: { ...body, probes: state.runs, advice: 'x'.repeat(5000) },
          expiresAt: state.expiresAt,
          madeAgainAt: state.madeAgainAt,
          isCurrent: () => state.current,
        }
      },
    },
    clock: { ...systemClock, now: () => state.now },
    ...changes,
  })
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
    Object.fromEntries([...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name)))
  expect(headers(second)).toEqual(headers(first))
  expect(second.headers.get('access-control-allow-origin')).toBe('*')
})

test('behavior: cached answers support HEAD, 304 and compression', async () => {
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
  // Near the expiry max-age counts down, so the answer is made again each second.
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

test('behavior: an operation may keep its answer beyond the minute', async () => {
  const { state, ask } = await start()
  state.madeAgainAt = START + 600_000
  await ask()
  state.now = START + 599_999
  await ask()
  expect(state.runs).toBe(1)
  state.now += 1
  await ask()
  expect(state.runs).toBe(2)
})

test('behavior: an answer without isCurrent is never cached', async () => {
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

/** Holds the answers of `/verify` back until they are released. */
async function hold() {
  const small = createSmallAnswers()
  const gate = { runs: 0, isCurrent: true, release: (_?: Error) => {} }
  const answers = {
    ...small,
    verify: async (query: Parameters<typeof small.verify>[0]): Promise<FreeAnswer<'verify'>> => {
      const run = ++gate.runs
      const { body } = await small.verify(query)
      await new Promise<void>((resolve, reject) => {
        gate.release = (error) => (error === undefined ? resolve() : reject(error))
      })
      return { body: { ...body, probes: run }, isCurrent: () => gate.isCurrent || run > 1 }
    },
  }
  const calls: RequestRecord[] = []
  const { ask } = await start({ answers, onRequest: (record) => calls.push(record) })
  const askMany = (count: number) =>
    Array.from({ length: count }, async () => {
      const response = await ask()
      return response.status === 200 ? (await response.json()).probes : response.status
    })
  return { gate, calls, askMany }
}

test('behavior: equal calls that overlap share one answer', async () => {
  const { gate, askMany } = await hold()
  const asked = askMany(20)
  await expect.poll(() => gate.runs).toBe(1)
  // All of them have arrived by now.
  await new Promise((resolve) => setTimeout(resolve, 100))
  gate.release()
  expect([new Set(await Promise.all(asked)), gate.runs]).toEqual([new Set([1]), 1])
})

test('behavior: a call that came after a change does not share an answer that was begun before it', async () => {
  const { gate, askMany } = await hold()
  const early = askMany(1)
  await expect.poll(() => gate.runs).toBe(1)
  gate.isCurrent = false
  const late = askMany(1)
  await new Promise((resolve) => setTimeout(resolve, 50))
  gate.release()
  await expect.poll(() => gate.runs).toBe(2)
  gate.release()
  expect(await Promise.all([...early, ...late])).toEqual([1, 2])
})

test('error: a call that joined one that fails is tried itself', async () => {
  const { gate, askMany } = await hold()
  const early = askMany(1)
  await expect.poll(() => gate.runs).toBe(1)
  const late = askMany(1)
  await new Promise((resolve) => setTimeout(resolve, 50))
  gate.release(new Error('no store'))
  await expect.poll(() => gate.runs).toBe(2)
  gate.release()
  expect(await Promise.all([...early, ...late])).toEqual([500, 2])
})

test('behavior: what only Express takes is answered, counted and limited the same', async () => {
  const calls: RequestRecord[] = []
  const { state, ask, origin } = await start({
    config: { rateLimitPerMinute: 3 },
    onRequest: (record) => calls.push(record),
  })
  const plain = await (await ask()).text()
  const { port } = new URL(origin)
  // The body of length zero is Express's; the target in absolute form is what a proxy is sent.
  const path = '/verify?endpoint=http://a.example/'
  const answers: string[] = []
  for (const target of [path, `${origin}${path}`, path]) {
    const socket = connect(Number(port), '127.0.0.1')
    socket.end(`GET ${target} HTTP/1.1\r\nHost: here\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
    answers.push((await socket.setEncoding('utf8').toArray()).join(''))
  }
  expect(answers.map((answer) => answer.slice(9, 12))).toEqual(['200', '200', '429'])
  expect(answers[0]).toContain(plain)
  expect(answers[1]).toContain('"endpoint":"http://a.example/"')
  expect(state.runs).toBe(2)
  await expect.poll(() => calls.length).toBe(4)
  expect(calls.map(({ route, status, fromMemory }) => [route, status, fromMemory])).toEqual([
    ['/verify', 200, false],
    ['/verify', 200, true],
    ['/verify', 200, false],
    ['/verify', 429, false],
  ])
})

test('behavior: the rate limit counts cache hits', async () => {
  const { state, ask } = await start({ config: { rateLimitPerMinute: 3 } })
  const statuses = []
  for (let call = 0; call < 5; call++) statuses.push((await ask()).status)
  expect(statuses).toEqual([200, 200, 200, 429, 429])
  expect(state.runs).toBe(1)
  const refused = await ask()
  expect(refused.headers.get('content-type')).toBe('application/problem+json')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('behavior: memory is bounded, and entries in use stay', async () => {
  const { state, ask } = await start({
    config: { answerCacheBytes: 200_000, rateLimitPerMinute: 10_000 },
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

test('behavior: a client that is slow to read gets pipelined answers completely and in order', async () => {
  const { origin } = await start({ config: { rateLimitPerMinute: 1_000_000 } })
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.pause()
  const calls = 1000
  for (let call = 0; call < calls; call++) {
    const host = `h${call % 7}.example`
    socket.write(`GET /verify?endpoint=http://${host}/ HTTP/1.1\r\nHost: here\r\n\r\n`)
  }
  await new Promise((resolve) => setTimeout(resolve, 100))
  let received = ''
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
  })
  socket.resume()
  const asked = Array.from({ length: calls }, (_, call) => `http://h${call % 7}.example/`)
  const answered = () => [...received.matchAll(/"endpoint":"([^"]*)"/g)].map(([, endpoint]) => endpoint)
  await expect.poll(() => answered().length).toBe(calls)
  expect(answered()).toEqual(asked)
})

test('behavior: the client address equals that of Express', async () => {
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
      { numRuns: fuzzRuns(0.1) },
    )
  }
})
