import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createAddressPolicy } from '../addressPolicy.ts'
import { AddressRefusedError, DeadlineError } from '../errors.ts'
import { createSharedContext } from '../guardedConnect.ts'
import { createResolveHost } from '../resolveHost.ts'
import { cleanUpAfterEach, listen, lookup } from '../testing/harness.ts'
import { createReachWitness } from '../witnessReach.ts'
import { openTunnel, type Tunnel } from './openTunnel.ts'

cleanUpAfterEach()
const SECURE = createSharedContext([])
const opened: Tunnel[] = []
afterEach(() => {
  for (const tunnel of opened.splice(0)) tunnel.close()
})

/** Opens a tunnel to a URL that may dial these ports on 127.0.0.1. */
async function open(
  url: string,
  ports: readonly number[],
  more: { signal?: AbortSignal; maxBytes?: number } = {},
) {
  const context = {
    policy: createAddressPolicy({ allowPrivate: ports.map((port) => `127.0.0.1:${port}`) }),
    resolveHost: createResolveHost(lookup),
    witness: createReachWitness(),
    secureContext: SECURE,
  }
  const limits = { signal: new AbortController().signal, maxBytes: 1_000_000, ...more }
  const tunnel = await openTunnel(new URL(url), context, limits)
  opened.push(tunnel)
  return tunnel
}

/** Sends bytes to the proxy of a tunnel, and returns all that comes back. */
function send({ proxy }: Tunnel, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(Number(new URL(proxy).port), '127.0.0.1', () => socket.write(bytes, 'latin1'))
    socket.setEncoding('latin1').on('error', () => {})
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.once('close', () => resolve(received))
  })
}

/** Starts a seller that keeps the first bytes of each connection, answers, and closes. */
async function serveBytes(answer: (socket: Socket) => void = (socket) => socket.end('bytes of the seller')) {
  const seen: string[] = []
  const port = await listen(
    createServer((socket) => {
      socket.setEncoding('latin1').on('error', () => {})
      socket.once('data', (chunk) => {
        seen.push(String(chunk))
        answer(socket)
      })
    }),
  )
  return { port, seen }
}

test('default: CONNECT passes the bytes of the client on as they are', async () => {
  const { port, seen } = await serveBytes()
  const tunnel = await open(`https://shop.test:${port}/a`, [port])
  const head = `CONNECT shop.test:${port} HTTP/1.1\r\nHost: shop.test:${port}\r\nUser-Agent: curl/8\r\n\r\n`
  expect(await send(tunnel, `${head}\x16\x03\x01 hello`)).toBe(
    'HTTP/1.1 200 Connection established\r\n\r\nbytes of the seller',
  )
  expect(seen).toEqual(['\x16\x03\x01 hello'])
  expect(tunnel.elapsedMs()).toBeGreaterThan(0)
})

test('default: a request in absolute form reaches an http seller in its own form, without headers for the proxy', async () => {
  const { port, seen } = await serveBytes()
  const tunnel = await open(`http://shop.test:${port}/a?b=1`, [port])
  const line = `POST http://shop.test:${port}/a?b=1 HTTP/1.1`
  const request = `${line}\r\nHost: shop.test:${port}\r\nAccept: */*\r\nProxy-Connection: Keep-Alive\r\nContent-Length: 2\r\n\r\n{}`
  expect(await send(tunnel, request)).toBe('bytes of the seller')
  expect(seen.join('')).toBe(
    `POST /a?b=1 HTTP/1.1\r\nHost: shop.test:${port}\r\nAccept: */*\r\nContent-Length: 2\r\n\r\n{}`.slice(
      0,
      seen.join('').length,
    ),
  )
  expect(seen.join('')).not.toMatch(/proxy/i)
})

test('error: an address that the guard refuses is not dialled', async () => {
  const { port, seen } = await serveBytes()
  for (const host of ['shop.test', '127.0.0.1', '[::1]']) {
    const tunnel = await open(`https://${host}:${port}/`, [])
    expect(await send(tunnel, `CONNECT ${host}:${port} HTTP/1.1\r\n\r\n`)).toBe('')
    expect(tunnel.dialError()).toBeInstanceOf(AddressRefusedError)
  }
  expect(seen).toEqual([])
})

test('error: a client reaches no other place than that of its URL', async () => {
  const { port, seen } = await serveBytes()
  const tunnel = await open(`http://shop.test:${port}/`, [port, port + 1])
  for (const target of [
    `CONNECT other.test:${port}`,
    `CONNECT shop.test:${port + 1}`,
    `CONNECT 127.0.0.1:${port}`,
    `GET http://other.test:${port}/`,
    `GET http://me@shop.test:${port}/`,
    `GET https://shop.test:${port}/`,
    'GET /',
  ])
    expect(await send(tunnel, `${target} HTTP/1.1\r\n\r\n`)).toBe('')
  expect([seen, tunnel.dialError()]).toEqual([[], undefined])
})

test('error: bytes that are no request are closed, however long they are', async () => {
  const { port, seen } = await serveBytes()
  const tunnel = await open(`https://shop.test:${port}/`, [port])
  for (const bytes of [
    '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n',
    `CONNECT shop.test:${port} HTTP/1.0\r\n\r\n`,
    `connect shop.test:${port} HTTP/1.1\r\n\r\n`,
    `CONNECT shop.test:${port} \r\n\r\n`,
    'x'.repeat(64 * 1024),
    `CONNECT shop.test:${port} HTTP/1.1\r\nx: ${'x'.repeat(64 * 1024)}\r\n\r\n`,
  ])
    expect(await send(tunnel, bytes)).toBe('')
  expect(seen).toEqual([])
})

test('error: a seller that sends more than the limit is cut off', async () => {
  const { port } = await serveBytes((socket) => socket.end(Buffer.alloc(5_000_000, 'x')))
  const tunnel = await open(`https://shop.test:${port}/`, [port], { maxBytes: 100_000 })
  const received = await send(tunnel, `CONNECT shop.test:${port} HTTP/1.1\r\n\r\nhello`)
  expect(received.length).toBeLessThan(1_000_000)
})

test('error: the deadline ends the tunnel of a seller that stays silent', async () => {
  const { port } = await serveBytes(() => {})
  const deadline = new AbortController()
  const tunnel = await open(`https://shop.test:${port}/`, [port], { signal: deadline.signal })
  const answer = send(tunnel, `CONNECT shop.test:${port} HTTP/1.1\r\n\r\nhello`)
  setTimeout(() => deadline.abort(new DeadlineError(false)), 100)
  expect(await answer).toMatch(/^HTTP\/1\.1 200 /)
  // Nothing listens any more.
  expect(await send(tunnel, `CONNECT shop.test:${port} HTTP/1.1\r\n\r\n`)).toBe('')
  const late = open(`https://shop.test:${port}/`, [port], { signal: deadline.signal })
  await expect(late).rejects.toBeInstanceOf(DeadlineError)
})

test('error: a seller that refuses the connection is the error of the guarded connection', async () => {
  const server = createHttpServer()
  const port = await listen(server)
  server.close()
  const tunnel = await open(`https://shop.test:${port}/`, [port])
  expect(await send(tunnel, `CONNECT shop.test:${port} HTTP/1.1\r\n\r\n`)).toBe('')
  expect(tunnel.dialError()).toMatchObject({ code: 'ECONNREFUSED' })
})
