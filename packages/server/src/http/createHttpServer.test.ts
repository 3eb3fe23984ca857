import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import type { Log } from '../lib/logging.ts'
import { createHttpServer, stopHttpServer } from './createHttpServer.ts'

const CTX = {
  config: { connectionsPerClient: 3, trustProxy: 0 },
  log: () => {},
  metrics: { connectionRefused: () => {} },
}

async function start(answer: () => Promise<void> | void = () => {}, body: string | Buffer = 'ok') {
  const server = createHttpServer(CTX, async (_, response) => {
    await answer()
    response.end(body)
  })
  return { server, port: await listen(server) }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** Sends raw bytes. Resolves to everything received until the connection closes. */
function talk(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', () => {})
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
}

const STOP = { graceMs: 45_000 }

test('default', async () => {
  const { port } = await start()
  expect(await talk(port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 200 (.|\s)*ok/,
  )
})

test('behavior: a new server is published on its diagnostics channel', async () => {
  const told: unknown[] = []
  const hear = (message: unknown) => told.push(message)
  subscribe('touchstone402.http.server', hear)
  onTestFinished(() => {
    unsubscribe('touchstone402.http.server', hear)
  })
  const { server } = await start()
  expect(told).toEqual([{ server }])
})

/** Shortens the waits for a request. */
const hurry = (server: Server) => Object.assign(server, { headersTimeout: 100, requestTimeout: 200 })

test('error: an invalid, oversized or slow request gets a problem document and a closed connection', async () => {
  const { server, port } = await start()
  hurry(server)
  const problem = async (text: string) => {
    const [head = '', body = ''] = (await talk(port, text)).split('\r\n\r\n')
    expect(head).toContain('application/problem+json')
    return JSON.parse(body)
  }
  expect(await problem('GARBAGE\r\n\r\n')).toMatchObject({ status: 400, code: 'bad_request' })
  expect(await problem(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatchObject({
    status: 431,
    code: 'headers_too_large',
  })
  expect(await problem('GET / HTTP/1.1\r\nHost: a\r\n')).toMatchObject({
    status: 408,
    code: 'request_timeout',
  })
})

test('error: a malformed HEAD request is refused without a body', async () => {
  const { port } = await start()
  const answer = await talk(port, 'HEAD ?limit=10 HTTP/1.1\r\nHost: a\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer.endsWith('\r\n\r\n')).toBe(true)
})

test('error: invalid HTTP during a partial answer closes the connection without writing into the answer', async () => {
  const server = createHttpServer(CTX, (_, response) => {
    response.writeHead(200, { 'Content-Length': 1000 })
    response.write('a'.repeat(100))
  })
  const socket = connect(await listen(server), '127.0.0.1')
  let received = ''
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString()
    socket.write('GARBAGE\r\n\r\n')
  })
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(socket, 'close')
  expect(received).toMatch(/\r\n\r\na{100}$/)
})

test('error: invalid HTTP behind a pipelined request closes the connection during the answer before it', async () => {
  const server = createHttpServer(CTX, (request, response) => {
    if (request.url === '/first') response.writeHead(200, { 'Content-Length': 1000 }).write('a'.repeat(100))
    else response.end('second')
  })
  const head = 'HTTP/1.1\r\nHost: a\r\n\r\n'
  const received = await talk(await listen(server), `GET /first ${head}GET /second ${head}GARBAGE\r\n\r\n`)
  expect(received).not.toContain('400')
  expect(received).not.toContain('second')
})

test('error: invalid HTTP is refused after a complete answer, even one not flushed yet', async () => {
  const body = 'a'.repeat(8_000_000)
  const { port } = await start(undefined, body)
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.once('data', () => socket.write('GARBAGE\r\n\r\n'))
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(socket, 'close')
  expect(Buffer.concat(chunks).toString().split(body)[1]).toMatch(/^HTTP\/1\.1 400 /)
})

test('error: the connection of a client that does not read its answer is closed', async () => {
  const { server, port } = await start(undefined, Buffer.alloc(30_000_000))
  server.timeout = 200
  const socket = connect(port, '127.0.0.1').pause()
  onTestFinished(() => {
    socket.destroy()
  })
  const connected = once(server, 'connection') as Promise<[Socket]>
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  const [atServer] = await connected
  await once(atServer, 'close')
  expect(atServer.bytesWritten).toBeGreaterThan(0)
}, 4000)

test('behavior: a stop waits for open requests, at most for the grace period', async () => {
  let finish = () => {}
  let entered = () => {}
  const inside = new Promise<void>((resolve) => {
    entered = resolve
  })
  const { server, port } = await start(() => {
    entered()
    return new Promise<void>((resolve) => {
      finish = resolve
    })
  })
  const idle = connect(port, '127.0.0.1')
  const call = fetch(`http://127.0.0.1:${port}/`)
  await inside
  const stopped = stopHttpServer(server, STOP)
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  finish()
  expect(await (await call).text()).toBe('ok')
  idle.destroy()
  await stopped

  const stuck = await start(() => new Promise(() => {}))
  const cut = fetch(`http://127.0.0.1:${stuck.port}/`)
  cut.catch(() => {})
  await new Promise((resolve) => setTimeout(resolve, 50))
  await stopHttpServer(stuck.server, { graceMs: 50 })
  await expect(cut).rejects.toThrow()
})

test('behavior: a stop flushes complete answers to slow readers, and closes idle connections at once', async () => {
  const body = Buffer.alloc(30_000_000, 'a')
  const { server, port } = await start(undefined, body)
  const idle = connect(port, '127.0.0.1')
  idle.write('HEAD / HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(idle, 'data')
  const slow = connect(port, '127.0.0.1')
  let received = 0
  slow.on('data', (chunk: Buffer) => {
    received += chunk.length
  })
  slow.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(slow, 'data')
  slow.pause()
  const stopped = stopHttpServer(server, STOP)
  await once(idle, 'close')
  await new Promise((resolve) => setTimeout(resolve, 200))
  slow.resume()
  await stopped
  await once(slow, 'close')
  expect(received).toBeGreaterThan(body.length)
})

test('behavior: a stop waits for an unfinished request head only until its timeout', async () => {
  const { server, port } = await start()
  hurry(server)
  const refused = ['', 'GET / HTTP/1.1\r\nHo'].map((text) => talk(port, text))
  await new Promise((resolve) => setTimeout(resolve, 50))
  await stopHttpServer(server, STOP)
  for (const answer of await Promise.all(refused)) expect(answer).toMatch(/^HTTP\/1\.1 408 /)
}, 4000)

test('behavior: a stop accepts no connections while an answer is flushed', async () => {
  const body = Buffer.alloc(30_000_000, 'a')
  const { server, port } = await start(undefined, body)
  const slow = connect(port, '127.0.0.1')
  let received = 0
  slow.on('data', (chunk: Buffer) => {
    received += chunk.length
  })
  slow.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(slow, 'data')
  slow.pause()
  const stopped = stopHttpServer(server, STOP)
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  slow.resume()
  await stopped
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  await expect.poll(() => received).toBeGreaterThan(body.length)
})

test('behavior: a request under way at a stop is answered with Connection: close', async () => {
  const { server, port } = await start(() => new Promise((resolve) => setTimeout(resolve, 100)))
  const answer = talk(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(server, 'request')
  await stopHttpServer(server, STOP)
  expect(await answer).toMatch(/^HTTP\/1\.1 200 (.|\s)*Connection: close(.|\s)*ok$/)
})

test('behavior: a stop that lingers answers new connections, and closes each after its answer', async () => {
  const { server, port } = await start()
  const stopped = stopHttpServer(server, { graceMs: 5000, lingerMs: 400 })
  expect(await talk(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 200 (.|\s)*Connection: close/,
  )
  await stopped
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
})

const [outside] = Object.values(networkInterfaces())
  .flat()
  .filter((one) => one?.family === 'IPv4' && !one.internal)

test.skipIf(outside === undefined)(
  'behavior: one address has a limited number of connections, this machine as many as it needs',
  async () => {
    const refused: string[] = []
    const counted: string[] = []
    const ctx = {
      ...CTX,
      log: (...[, , { limit, address }]: Parameters<Log>) => void refused.push(`${limit} ${address}`),
      metrics: { connectionRefused: ({ limit }: { limit: string }) => void counted.push(limit) },
    }
    const server = createHttpServer(ctx, (_, response) => response.end('ok'))
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
    const { port } = server.address() as AddressInfo
    /** Opens connections and returns those that are answered. */
    const open = async (host: string, count: number) => {
      const sockets = Array.from({ length: count }, () => connect(port, host).on('error', () => {}))
      onTestFinished(() => {
        for (const socket of sockets) socket.destroy()
      })
      const answered = await Promise.all(
        sockets.map((socket) => {
          socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
          const isAnswered = once(socket, 'data').then(
            () => true,
            () => false,
          )
          return Promise.race([
            isAnswered,
            new Promise<false>((resolve) => socket.once('close', () => resolve(false))),
          ])
        }),
      )
      return sockets.filter((_, index) => answered[index])
    }
    const host = outside?.address ?? ''
    const [first, ...others] = await open(host, 8)
    expect(others).toHaveLength(2)
    expect(await open(host, 2)).toEqual([])
    expect(refused).toEqual(Array(7).fill(`client ${host}`))
    expect(await open('127.0.0.1', 8)).toHaveLength(8)
    server.maxConnections = 1
    expect(await open('127.0.0.1', 1)).toEqual([])
    expect(refused.slice(7)).toEqual(['server 127.0.0.1'])
    expect(counted).toEqual([...Array(7).fill('client'), 'server'])
    server.maxConnections = 100
    first?.destroy()
    await expect.poll(async () => (await open(host, 1)).length).toBe(1)
  },
)
