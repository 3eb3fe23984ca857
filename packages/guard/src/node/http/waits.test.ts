import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { outcomeOf, setUpFetch } from '../../testing/exchanges.ts'

const raw = (text: string) => (response: ServerResponse) => void response.socket?.write(text)
const rawEnd = (text: string) => (response: ServerResponse) => void response.socket?.end(text)

/** Answers that are no answer, or a strange one. */
const STRANGE: [string, (response: ServerResponse) => void][] = [
  ['a 101', raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')],
  ['a 101 without Upgrade', raw('HTTP/1.1 101 x\r\n\r\n')],
  ['nothing, then a close', rawEnd('')],
  ['half a head', rawEnd('HTTP/1.1 200 OK\r\nContent-')],
  [
    'a deflated body without bytes',
    raw('HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nContent-Length: 0\r\n\r\n'),
  ],
  [
    'a deflated body that is cut',
    rawEnd('HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nContent-Length: 9\r\n\r\n'),
  ],
  [
    'a deflated body that is empty and ends by a close',
    rawEnd('HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n'),
  ],
  [
    'a gzipped body without bytes',
    raw('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n'),
  ],
  ['a body that is cut', rawEnd('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx')],
  ['chunks that are cut', rawEnd('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab')],
  ['a head without an end', raw('HTTP/1.1 200 OK\r\n')],
  [
    'a deflated body that never begins',
    raw('HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nContent-Length: 9\r\n\r\n'),
  ],
]

describe('every wait ends', () => {
  test.each(STRANGE)(
    'behavior: by the time limits, after %s',
    async (_, answer) => {
      const { url, fetch } = await setUpFetch(answer, { timeoutMs: 150, idleMs: 150 })
      expect(await outcomeOf(fetch(url))).toMatch(/^(TypeError|TimeoutError|Error|)$/)
    },
    2000,
  )

  test.each(STRANGE)(
    'behavior: by an abort, after %s',
    async (_, answer) => {
      const { url, fetch } = await setUpFetch(answer)
      expect(await outcomeOf(fetch(url, { signal: AbortSignal.timeout(150) }))).toMatch(
        /^(TypeError|TimeoutError|Error|)$/,
      )
    },
    2000,
  )

  test.each(STRANGE.slice(0, 4))(
    'error: %s is a failed call at once',
    async (_, answer) => {
      const { url, fetch } = await setUpFetch(answer)
      await expect(fetch(url)).rejects.toThrow('fetch failed')
    },
    2000,
  )

  test('behavior: by an abort or the time limit, if the body of a Request never ends', async () => {
    const { url, fetch } = await setUpFetch((response) => void response.end('no'), { timeoutMs: 100 })
    const endless = () =>
      new Request(url, { method: 'POST', body: new ReadableStream(), duplex: 'half' } as RequestInit)
    expect(await outcomeOf(fetch(endless()))).toBe('TimeoutError')
    expect(await outcomeOf(fetch(endless(), { signal: AbortSignal.timeout(20) }))).toBe('TimeoutError')
  }, 2000)

  test('behavior: a stream lasts while bytes come, past the limit for its first byte', async () => {
    const { url, fetch } = await setUpFetch(
      async (response) => {
        for (let count = 0; count < 8; count++) {
          response.write('data: x\n\n')
          await new Promise((resolve) => setTimeout(resolve, 40))
        }
        response.end()
      },
      { timeoutMs: 150, idleMs: 150 },
    )
    expect(await outcomeOf(fetch(url))).toBe('data: x\n\n'.repeat(8))
  })

  test('error: a stream ends if no byte comes for idleMs, and after totalMs', async () => {
    const { url, fetch } = await setUpFetch((response) => void response.write('a'), { idleMs: 50 })
    expect(await outcomeOf(fetch(url))).toBe('TimeoutError')
    const trickle = await setUpFetch(
      (response) => {
        const timer = setInterval(() => response.write('a'), 20)
        response.once('close', () => clearInterval(timer))
      },
      { totalMs: 150, idleMs: 100 },
    )
    expect(await outcomeOf(trickle.fetch(trickle.url))).toBe('TimeoutError')
  }, 2000)

  test('behavior: a reader may take its time', async () => {
    const { url, fetch } = await setUpFetch((response) => void response.end('a'.repeat(1_000_000)), {
      idleMs: 150,
    })
    const response = await fetch(url)
    await new Promise((resolve) => setTimeout(resolve, 250))
    expect(await response.text()).toHaveLength(1_000_000)
  })

  test('behavior: a stream that is sent does not use up the time of its answer', async () => {
    const { url, fetch } = await setUpFetch(
      (response) => void response.req.resume().on('end', () => response.end('ok')),
      {
        timeoutMs: 200,
      },
    )
    const body = new ReadableStream({
      async pull(controller) {
        for (let count = 0; count < 5; count++) {
          await new Promise((resolve) => setTimeout(resolve, 50))
          controller.enqueue(new Uint8Array([1]))
        }
        controller.close()
      },
    })
    expect(await outcomeOf(fetch(url, { method: 'POST', body, duplex: 'half' } as RequestInit))).toBe('ok')
  })
})

test('behavior: a redirect does not end the time limits', async () => {
  const { url, fetch } = await setUpFetch(
    (response) => {
      if (response.req.url === '/') response.writeHead(302, { location: '/silent' }).end('moved')
    },
    { timeoutMs: 100 },
  )
  expect(await outcomeOf(fetch(url))).toBe('TimeoutError')
  expect(await outcomeOf(fetch(url, { method: 'HEAD' }))).toBe('TimeoutError')
}, 2000)

test('behavior: a body that is still sent after the head of its answer does not end the answer', async () => {
  let finish = () => {}
  let uploaded: Promise<unknown> = Promise.resolve()
  const answer = (response: ServerResponse) => {
    response.write('head')
    finish = () => response.end(' and tail')
    uploaded = once(response.req.resume(), 'end')
  }
  const { url, fetch } = await setUpFetch(answer, { timeoutMs: 150, idleMs: 150 })
  let count = 0
  const body = new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      if (++count === 5) controller.close()
      else controller.enqueue(new Uint8Array([1]))
    },
  })
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit
  const response = await fetch(url, init)
  await uploaded
  await new Promise((resolve) => setTimeout(resolve, 250))
  finish()
  expect(await response.text()).toBe('head and tail')
})

test('behavior: an answer that is left unread is closed after totalMs', async () => {
  let closed: Promise<unknown> = Promise.resolve()
  const answer = (response: ServerResponse) => {
    closed = new Promise((resolve) => response.once('close', resolve))
    response.write('a'.repeat(1_000_000))
  }
  const { url, fetch } = await setUpFetch(answer, { totalMs: 400 })
  const response = await fetch(url)
  await closed
  await expect(response.text()).rejects.toMatchObject({ name: 'TimeoutError' })
}, 2000)
