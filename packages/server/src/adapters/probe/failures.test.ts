import { createSecureServer } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createNetServer, type LookupFunction } from 'node:net'
import { encodeBase64Json } from '@touchstone402/shared'
import { describe, expect, test } from 'vitest'
import {
  challengeV1,
  challengeV2,
  cleanUpAfterEach,
  listen,
  listenDeaf,
  lookup,
  serve,
  start,
  target,
} from './testing/harness.ts'
import { makeSelfSigned } from './testing/selfSigned.ts'

cleanUpAfterEach()

describe('failures', () => {
  test('behavior: a refused and a lost connection are down, after one attempt', async () => {
    const closed = createNetServer()
    const gone = await listen(closed)
    closed.close()
    let connections = 0
    const resetting = await listen(
      createNetServer((socket) => {
        connections++
        socket.on('error', () => {}).resetAndDestroy()
      }),
    )
    const prober = start([gone, resetting])
    expect(await prober.probe(target(`http://a.test:${gone}/`))).toMatchObject({
      outcome: 'down',
      cause: 'refused',
    })
    expect(await prober.probe(target(`http://a.test:${resetting}/`))).toMatchObject({
      outcome: 'down',
      cause: 'connection_lost',
    })
    expect(connections).toBe(1)
  })

  test('behavior: a broken answer is a lost connection', async () => {
    const port = await listen(
      createNetServer((socket) => void socket.on('error', () => {}).end('SSH-2.0-x\r\n')),
    )
    const result = await start([port]).probe(target(`http://a.test:${port}/`))
    expect(result).toMatchObject({ outcome: 'down', cause: 'connection_lost' })
  })

  test("behavior: an absent name is the seller's only after the resolver has answered", async () => {
    const port = await serve((_request, response) => void response.writeHead(402).end())
    const prober = start([port])
    const absent = target('http://gone.example/')
    expect(await prober.probe(absent)).toMatchObject({ outcome: 'not_measured', cause: 'dns_failed' })
    await prober.probe(target(`http://shop.test:${port}/`))
    expect(await prober.probe(absent)).toMatchObject({ outcome: 'down', cause: 'dns_failed' })
    expect(await prober.probe(target('http://again.example/'))).toMatchObject({
      outcome: 'not_measured',
      cause: 'dns_failed',
    })
  })

  test("behavior: silence is the seller's only after another place was reached", async () => {
    const deaf = await listenDeaf()
    const port = await serve((_request, response) => void response.writeHead(402).end())
    const prober = start([deaf, port], { deadlineMs: 300 })
    const silent = ['http', 'https'].map((scheme) => target(`${scheme}://a.test:${deaf}/`))
    const ask = async () =>
      (await Promise.all(silent.map((one) => prober.probe(one)))).map(({ cause }) => cause)
    expect(await ask()).toEqual(['own_fault', 'own_fault'])
    await prober.probe(target(`http://shop.test:${port}/`))
    expect(await ask()).toEqual(['timeout', 'timeout'])
  })

  test('behavior: a resolver that hangs is our own trouble', async () => {
    const prober = start([], { lookup: () => {}, deadlineMs: 100 })
    expect(await prober.probe(target('http://shop.test/'))).toMatchObject({
      outcome: 'not_measured',
      cause: 'dns_failed',
    })
  })

  test('behavior: time that our resolver has taken is not held against a seller', async () => {
    const silent = await listen(createNetServer((socket) => void socket.on('error', () => {})))
    const ask = async (resolvingMs: number) => {
      const slow: LookupFunction = (...asked) => void setTimeout(() => lookup(...asked), resolvingMs)
      const prober = start([silent], { lookup: slow, deadlineMs: 1_400 })
      return (await prober.probe(target(`http://a.test:${silent}/`))).cause
    }
    expect(await Promise.all([ask(1_100), ask(100)])).toEqual(['own_fault', 'timeout'])
  })

  test('behavior: what a seller did while we stood still is our own doing, and no look after it', async () => {
    // Ends a connection long before our deadline, as servers do with clients that say nothing.
    const closing = await listen(
      createNetServer((socket) => void setTimeout(() => socket.on('error', () => {}).destroy(), 100)),
    )
    const paid = await serve((_request, response) => {
      response.writeHead(402).end(JSON.stringify(challengeV1()))
    })
    const prober = start([closing, paid])
    const urls = [`http://a.test:${closing}/`, `http://b.test:${paid}/`]
    const ask = () => Promise.all(urls.map(async (url) => (await prober.probe(target(url))).cause))
    const asked = ask()
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_400), 5)
    expect(await asked).toEqual(['own_fault', 'challenge'])
    expect(await ask()).toEqual(['connection_lost', 'challenge'])
  })

  test('behavior: a caller who gives up, and the end of the prober, are our own doing', async () => {
    const port = await listen(createNetServer((socket) => void socket.on('error', () => {})))
    const prober = start([port])
    const controller = new AbortController()
    const probes = Array.from({ length: 20 }, () =>
      prober.probe(target(`http://a.test:${port}/`), controller.signal),
    )
    setTimeout(() => controller.abort(), 50)
    for (const result of await Promise.all(probes)) {
      expect(result).toMatchObject({ outcome: 'not_measured', cause: 'own_fault' })
    }
    const last = prober.probe(target(`http://a.test:${port}/`))
    await prober.close()
    expect(await last).toMatchObject({ outcome: 'not_measured', cause: 'own_fault' })
  })
})

describe('tls', () => {
  const trusted = makeSelfSigned(['*.shop.test'])

  test('behavior: keeps SNI and certificate checks on the name', async () => {
    const server = createTlsServer(trusted, (_request, response) => {
      response.writeHead(402).end(JSON.stringify(challengeV1()))
    })
    const names: unknown[] = []
    server.on('secureConnection', (socket) => names.push(socket.servername))
    const port = await listen(server)
    const prober = start([port], { ca: [trusted.cert] })
    const results = []
    for (const host of ['a.shop.test', 'wrong.test', '127.0.0.1']) {
      results.push((await prober.probe(target(`https://${host}:${port}/`))).cause)
    }
    expect(results).toEqual(['challenge', 'tls_failed', 'tls_failed'])
    expect(names[0]).toBe('a.shop.test')
    const unknowing = start([port])
    expect(await unknowing.probe(target(`https://a.shop.test:${port}/`))).toMatchObject({
      outcome: 'down',
      cause: 'tls_failed',
    })
  })

  test('behavior: a plain server behind https is a failed handshake', async () => {
    const port = await serve((_request, response) => void response.end())
    expect(await start([port]).probe(target(`https://a.test:${port}/`))).toMatchObject({
      outcome: 'down',
      cause: 'tls_failed',
    })
  })

  test('behavior: speaks HTTP/2 to a server that speaks nothing else', async () => {
    const server = createSecureServer(trusted, (_request, response) => {
      response.writeHead(402, { 'payment-required': encodeBase64Json(challengeV2()) })
      response.end('{}')
    })
    const port = await listen(server)
    const result = await start([port], { ca: [trusted.cert] }).probe(target(`https://a.shop.test:${port}/`))
    expect(result).toMatchObject({ outcome: 'up', cause: 'challenge' })
  })
})
