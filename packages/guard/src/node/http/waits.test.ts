import dns from 'node:dns'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { encodeBase64Json } from '@touchstone402/shared'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listen } from '../../testing/listen.ts'
import { createPublicFetch, type PublicFetchOptions } from '../publicFetch.ts'
import { openTunnel } from './tunnel.ts'

/** Starts a server, and a fetch that reaches it. */
async function setUp(answer: (response: ServerResponse) => void, options: PublicFetchOptions = {}) {
  const server = await listen((_, response) => answer(response))
  onTestFinished(() => server.stop())
  const fetch = createPublicFetch({ allowPrivateHosts: true, env: {}, ...options })
  return { url: server.url, fetch }
}

/** Answers look-ups of names with these addresses until the end of the test. */
function answerAllLookups(addresses: object[]) {
  const { lookup } = dns.promises
  const set = (answer: unknown) => {
    dns.promises.lookup = answer as typeof lookup
    syncBuiltinESMExports()
  }
  set(async () => addresses)
  onTestFinished(() => set(lookup))
}

const raw = (text: string) => (response: ServerResponse) => void response.socket?.write(text)
const rawEnd = (text: string) => (response: ServerResponse) => void response.socket?.end(text)
const outcome = (call: Promise<Response>) =>
  call.then((response) => response.text()).catch((error: Error) => error.name ?? error)

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
      const { url, fetch } = await setUp(answer, { timeoutMs: 150, idleMs: 150 })
      expect(await outcome(fetch(url))).toMatch(/^(TypeError|TimeoutError|Error|)$/)
    },
    2000,
  )

  test.each(STRANGE)(
    'behavior: by an abort, after %s',
    async (_, answer) => {
      const { url, fetch } = await setUp(answer)
      expect(await outcome(fetch(url, { signal: AbortSignal.timeout(150) }))).toMatch(
        /^(TypeError|TimeoutError|Error|)$/,
      )
    },
    2000,
  )

  test.each(STRANGE.slice(0, 4))(
    'error: %s is a failed call at once',
    async (_, answer) => {
      const { url, fetch } = await setUp(answer)
      await expect(fetch(url)).rejects.toThrow('fetch failed')
    },
    2000,
  )

  test('behavior: by an abort or the time limit, if the body of a Request never ends', async () => {
    const { url, fetch } = await setUp((response) => void response.end('no'), { timeoutMs: 100 })
    const endless = () =>
      new Request(url, { method: 'POST', body: new ReadableStream(), duplex: 'half' } as RequestInit)
    expect(await outcome(fetch(endless()))).toBe('TimeoutError')
    expect(await outcome(fetch(endless(), { signal: AbortSignal.timeout(20) }))).toBe('TimeoutError')
  }, 2000)

  test('behavior: a stream lasts while bytes come, past the limit for its first byte', async () => {
    const { url, fetch } = await setUp(
      async (response) => {
        for (let count = 0; count < 8; count++) {
          response.write('data: x\n\n')
          await new Promise((resolve) => setTimeout(resolve, 40))
        }
        response.end()
      },
      { timeoutMs: 150, idleMs: 150 },
    )
    expect(await outcome(fetch(url))).toBe('data: x\n\n'.repeat(8))
  })

  test('error: a stream ends if no byte comes for idleMs, and after totalMs', async () => {
    const { url, fetch } = await setUp((response) => void response.write('a'), { idleMs: 50 })
    expect(await outcome(fetch(url))).toBe('TimeoutError')
    const trickle = await setUp(
      (response) => {
        const timer = setInterval(() => response.write('a'), 20)
        response.once('close', () => clearInterval(timer))
      },
      { totalMs: 150, idleMs: 100 },
    )
    expect(await outcome(trickle.fetch(trickle.url))).toBe('TimeoutError')
  }, 2000)

  test('behavior: a reader may take its time', async () => {
    const { url, fetch } = await setUp((response) => void response.end('a'.repeat(1_000_000)), {
      idleMs: 150,
    })
    const response = await fetch(url)
    await new Promise((resolve) => setTimeout(resolve, 250))
    expect(await response.text()).toHaveLength(1_000_000)
  })

  test('behavior: a stream that is sent does not use up the time of its answer', async () => {
    const { url, fetch } = await setUp(
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
    expect(await outcome(fetch(url, { method: 'POST', body, duplex: 'half' } as RequestInit))).toBe('ok')
  })
})

test('behavior: a redirect does not end the time limits', async () => {
  const { url, fetch } = await setUp(
    (response) => {
      if (response.req.url === '/') response.writeHead(302, { location: '/silent' }).end('moved')
    },
    { timeoutMs: 100 },
  )
  expect(await outcome(fetch(url))).toBe('TimeoutError')
  expect(await outcome(fetch(url, { method: 'HEAD' }))).toBe('TimeoutError')
}, 2000)

describe('a proxy', () => {
  const target = 'https://8.8.8.8/'
  async function startProxy(answer: (socket: Duplex, target: string) => void) {
    const asked: string[] = []
    const proxy = createServer().on('connect', ({ url = '' }, socket) => {
      asked.push(url)
      socket.on('error', () => {})
      answer(socket, url)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void proxy.close())
    const { port } = proxy.address() as AddressInfo
    const env = { HTTPS_PROXY: `127.0.0.1:${port}`, HTTP_PROXY: `127.0.0.1:${port}` }
    return { env, asked }
  }

  test.each<[string, (socket: Duplex) => void]>([
    ['that says nothing', () => {}],
    ['that leads to a silent host', (socket) => socket.write('HTTP/1.1 200 x\r\n\r\n')],
  ])(
    'behavior: one %s is left after the time limit, and by an abort',
    async (_, answer) => {
      const { env } = await startProxy(answer)
      expect(await outcome(createPublicFetch({ env, timeoutMs: 100 })(target))).toBe('TimeoutError')
      const signal = AbortSignal.timeout(100)
      expect(await outcome(createPublicFetch({ env })(target, { signal }))).toBe('TimeoutError')
    },
    2000,
  )

  test.each<[string, (socket: Duplex) => void]>([
    ['that closes', (socket) => socket.destroy()],
    ['that closes the tunnel', (socket) => socket.end('HTTP/1.1 200 x\r\n\r\n')],
  ])(
    'error: one %s is a failed call at once',
    async (_, answer) => {
      const { env } = await startProxy(answer)
      await expect(createPublicFetch({ env })(target)).rejects.toThrow('fetch failed')
    },
    2000,
  )

  test.each([
    ['answers 502', (socket: Duplex) => void socket.end('HTTP/1.1 502 x\r\n\r\n')],
    ['closes', (socket: Duplex) => void socket.destroy()],
  ])('behavior: tries every address of a host in order, where the proxy %s for IPv6', async (_, fail) => {
    const addresses = [
      { address: '2606:4700::1111', family: 6 },
      { address: '2606:4700::1001', family: 6 },
      { address: '1.1.1.1', family: 4 },
    ]
    answerAllLookups(addresses)
    const { url } = await setUp((response) => void response.end('reached'))
    const { env, asked } = await startProxy((socket, to) => {
      if (to.startsWith('[')) return fail(socket)
      socket.write('HTTP/1.1 200 x\r\n\r\n')
      socket.pipe(connect(Number(new URL(url).port), '127.0.0.1')).pipe(socket)
    })
    const fetch = createPublicFetch({ env })
    expect(await outcome(fetch('http://both.example/'))).toBe('reached')
    expect(asked).toEqual(['[2606:4700::1111]:80', '[2606:4700::1001]:80', '1.1.1.1:80'])
  })
})

test('behavior: a redirect from http to https of the same host is followed', async () => {
  const { url } = await setUp(
    (response) => void response.writeHead(302, { location: 'https://8.8.8.8/' }).end(),
  )
  const asked: string[] = []
  const proxy = createServer().on('connect', (request, socket) => {
    asked.push(request.url ?? '')
    if (asked.length > 1) return void socket.destroy()
    socket.write('HTTP/1.1 200 x\r\n\r\n')
    socket.pipe(connect(Number(new URL(url).port), '127.0.0.1')).pipe(socket)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void proxy.close())
  const at = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const fetch = createPublicFetch({ env: { HTTP_PROXY: at, HTTPS_PROXY: at } })
  await expect(fetch('http://8.8.8.8/')).rejects.toThrow('fetch failed')
  expect(asked).toEqual(['8.8.8.8:80', '8.8.8.8:443'])
})

test('behavior: an address that a proxy does not reach leaves time for the next', async () => {
  const proxy = createServer().on('connect', ({ url = '' }, socket) => {
    if (!url.startsWith('[')) socket.write('HTTP/1.1 200 x\r\n\r\n')
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void proxy.close())
  const { port } = proxy.address() as AddressInfo
  const addresses = [
    { address: '2606:4700::1111', family: 6 },
    { address: '1.1.1.1', family: 4 },
  ]
  const to = [new URL(`http://127.0.0.1:${port}`), new URL('http://both.example')] as const
  const socket = await openTunnel(...to, addresses, AbortSignal.timeout(1000), 30)
  // The limit of an attempt ends with it.
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(socket.destroyed).toBe(false)
  socket.destroy()
})

test('behavior: a body that is still sent after the head of its answer does not end the answer', async () => {
  let finish = () => {}
  let uploaded: Promise<unknown> = Promise.resolve()
  const answer = (response: ServerResponse) => {
    response.write('head')
    finish = () => response.end(' and tail')
    uploaded = once(response.req.resume(), 'end')
  }
  const { url, fetch } = await setUp(answer, { timeoutMs: 150, idleMs: 150 })
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

const soon = () => String(Math.floor(Date.now() / 1000) + 2)
const PAID: [string, () => Record<string, string>][] = [
  [
    'x402 v2, by maxTimeoutSeconds',
    () => ({ 'PAYMENT-SIGNATURE': encodeBase64Json({ x402Version: 2, accepted: { maxTimeoutSeconds: 2 } }) }),
  ],
  [
    'x402 v2, by validBefore',
    () => ({
      'PAYMENT-SIGNATURE': encodeBase64Json({
        x402Version: 2,
        payload: { authorization: { validBefore: soon() } },
      }),
    }),
  ],
  [
    'x402 v2 upto, by its deadline',
    () => ({
      'PAYMENT-SIGNATURE': encodeBase64Json({ payload: { permit2Authorization: { deadline: soon() } } }),
    }),
  ],
  [
    'x402 v1',
    () => ({ 'X-PAYMENT': encodeBase64Json({ payload: { authorization: { validBefore: soon() } } }) }),
  ],
  [
    'MPP',
    () => ({
      authorization: `Payment ${encodeBase64Json({ challenge: { expires: new Date(Date.now() + 2000).toISOString() }, payload: {} })}`,
    }),
  ],
]

describe('the wait for an answer', () => {
  const late = (response: ServerResponse) => void setTimeout(() => response.end('paid'), 300)

  test.each(PAID)(
    'behavior: a call paid by %s may take as long as its payment is valid',
    async (_, headers) => {
      const { url, fetch } = await setUp(late, { timeoutMs: 100 })
      expect(await outcome(fetch(url))).toBe('TimeoutError')
      expect(await outcome(fetch(url, { headers: headers() }))).toBe('paid')
    },
  )

  test('behavior: a payment in a JSON-RPC body counts too', async () => {
    const { url, fetch } = await setUp(late, { timeoutMs: 100 })
    const _meta = { 'x402/payment': { x402Version: 2, accepted: { maxTimeoutSeconds: 2 } } }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', _meta } })
    expect(await outcome(fetch(url, { method: 'POST', body }))).toBe('paid')
  })

  test.each([
    'x',
    encodeBase64Json({ accepted: { maxTimeoutSeconds: 'x' } }),
    encodeBase64Json({ accepted: { maxTimeoutSeconds: -5 } }),
    encodeBase64Json({ payload: { authorization: { validBefore: '0' } } }),
  ])('behavior: a payment that says nothing of its time has the usual wait', async (payment) => {
    const { url, fetch } = await setUp(late, { timeoutMs: 100 })
    expect(await outcome(fetch(url, { headers: { 'PAYMENT-SIGNATURE': payment } }))).toBe('TimeoutError')
  })

  test('behavior: no payment is waited for longer than the whole exchange may take', async () => {
    const { url, fetch } = await setUp(late, { timeoutMs: 50, totalMs: 150 })
    const payment = encodeBase64Json({ accepted: { maxTimeoutSeconds: 1e9 } })
    expect(await outcome(fetch(url, { headers: { 'PAYMENT-SIGNATURE': payment } }))).toBe('TimeoutError')
  })
})

test('behavior: an answer that is left unread is closed after totalMs', async () => {
  let closed: Promise<unknown> = Promise.resolve()
  const answer = (response: ServerResponse) => {
    closed = new Promise((resolve) => response.once('close', resolve))
    response.write('a'.repeat(1_000_000))
  }
  const { url, fetch } = await setUp(answer, { totalMs: 400 })
  const response = await fetch(url)
  await closed
  await expect(response.text()).rejects.toMatchObject({ name: 'TimeoutError' })
}, 2000)
