import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createHttpApp } from '../createHttpApp.ts'
import { createHttpServer, stopHttpServer } from '../createHttpServer.ts'
import type { EventLimits, Progress } from '../deps.ts'
import { ProblemError } from '../problems.ts'
import { createSmallAnswers } from '../testing/answers.ts'

const LIMITS: EventLimits = { perClient: 2, total: 3, everyMs: 20, heartbeatMs: 60, maxMs: 5_000 }

/** Serves the progress of one piece of work behind one trusted proxy. */
async function start(read: () => Promise<Progress>, limits: Partial<EventLimits> = {}) {
  const server = createHttpServer(
    createHttpApp({
      answers: createSmallAnswers(),
      paywall: { sell: () => Promise.reject(new Error('progress is free')) },
      clock: { now: () => 0 },
      publicUrl: 'https://trust.example',
      jwks: () => ({ keys: [] }),
      trustProxy: 1,
      pages: [{ path: '/work', handler: () => ({ type: 'text/plain', body: 'work' }), events: read }],
      eventLimits: { ...LIMITS, ...limits },
    }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void stopHttpServer(server, 0))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const open = (client = '192.0.2.1', init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}/work/events`, { headers: { 'X-Forwarded-For': client }, ...init })
  return { server, port, open }
}

const running = async (): Promise<Progress> => ({ data: 'running', isOver: false })

test('default', async () => {
  const states = [1, 1, 2, 3]
  let at = 0
  const { open } = await start(async () => {
    const step = states[Math.min(at++, states.length - 1)]
    return { data: { step }, isOver: step === 3 }
  })
  const answer = await open()
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(await answer.text()).toBe(
    'retry: 3000\n\nevent: progress\ndata: {"step":1}\n\nevent: progress\ndata: {"step":2}\n\nevent: over\ndata: {"step":3}\n\n',
  )
})

test('behavior: sends a heartbeat while nothing changes, and ends the stream at the time limit', async () => {
  const { open } = await start(running, { maxMs: 400 })
  const text = await (await open()).text()
  expect(text).toMatch(/^retry: 3000\n\nevent: progress\ndata: "running"\n\n(:\n\n){2,}$/)
})

test('behavior: bounds the streams of a client and of all, and frees a slot when a reader leaves', async () => {
  const { open } = await start(running)
  const leave = new AbortController()
  const first = await open('192.0.2.1', { signal: leave.signal })
  await open('192.0.2.1')
  const refused = await open('192.0.2.1')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
  expect(await refused.json()).toMatchObject({ code: 'too_many_streams' })
  await open('192.0.2.2')
  expect((await open('192.0.2.3')).status).toBe(503)
  leave.abort()
  await expect(first.text()).rejects.toThrow()
  await expect.poll(async () => (await open('192.0.2.3')).status).toBe(200)
})

test('behavior: a stop of the server ends open streams at once', async () => {
  const { server, open } = await start(running)
  const answer = await open()
  const startedAt = performance.now()
  const stopped = stopHttpServer(server)
  expect(await answer.text()).toContain('event: progress')
  await stopped
  expect(performance.now() - startedAt).toBeLessThan(3_000)
})

test('behavior: HEAD sends the headers alone', async () => {
  const { open } = await start(running)
  const answer = await open('192.0.2.1', { method: 'HEAD' })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ])
})

test('error: refuses before the stream begins, and ends a stream whose work cannot be read any more', async () => {
  let calls = 0
  const { open } = await start(async () => {
    if (++calls !== 2) throw new ProblemError(404, 'no_such_work', 'There is no such work.')
    return running()
  })
  expect((await open()).status).toBe(404)
  const answer = await open()
  expect(answer.status).toBe(200)
  expect(await answer.text()).toBe('retry: 3000\n\nevent: progress\ndata: "running"\n\n')
})

test('error: drops a reader that takes nothing', async () => {
  let calls = 0
  const large = 'a'.repeat(200_000)
  const { port } = await start(async () => ({ data: large + calls++, isOver: false }), { maxMs: 50_000 })
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.write('GET /work/events HTTP/1.1\r\nHost: a\r\n\r\n')
  onTestFinished(() => void socket.destroy())
  await expect.poll(() => calls, { timeout: 5_000 }).toBeGreaterThan(1)
  const readAgain = async () => {
    const before = calls
    await new Promise((resolve) => setTimeout(resolve, 300))
    return calls - before
  }
  await expect.poll(readAgain, { timeout: 10_000 }).toBe(0)
})
