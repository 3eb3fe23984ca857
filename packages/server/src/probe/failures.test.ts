import { createSecureServer } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createNetServer } from 'node:net'
import { encodeBase64Json } from '@touchstone402/shared'
import { describe, expect, test } from 'vitest'
import {
  challengeV1,
  challengeV2,
  cleanUpAfterEach,
  listen,
  listenDeaf,
  serve,
  start,
  target,
} from './testing/harness.ts'
import { makeSelfSigned } from './testing/selfSigned.ts'

cleanUpAfterEach()

describe('failures', () => {
  test('behavior: a refused or reset connection is down, without a retry', async () => {
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

  test('behavior: an answer that is not HTTP counts as a lost connection', async () => {
    const port = await listen(
      createNetServer((socket) => void socket.on('error', () => {}).end('SSH-2.0-x\r\n')),
    )
    const result = await start([port]).probe(target(`http://a.test:${port}/`))
    expect(result).toMatchObject({ outcome: 'down', cause: 'connection_lost' })
  })

  test('behavior: an absent name counts against the seller only after the resolver answered for another name', async () => {
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

  test('behavior: a connect timeout counts against the seller only after another host was reached', async () => {
    const deaf = await listenDeaf()
    const port = await serve((_request, response) => void response.writeHead(402).end())
    const prober = start([deaf, port])
    const silent = ['http', 'https'].map((scheme) =>
      target(`${scheme}://a.test:${deaf}/`, { deadlineMs: 300 }),
    )
    const ask = async () =>
      (await Promise.all(silent.map((one) => prober.probe(one)))).map(({ cause }) => cause)
    expect(await ask()).toEqual(['own_fault', 'own_fault'])
    await prober.probe(target(`http://shop.test:${port}/`))
    expect(await ask()).toEqual(['timeout', 'timeout'])
  })

  test('behavior: a resolver timeout is not measured', async () => {
    const prober = start([], { lookup: () => {} })
    expect(await prober.probe(target('http://shop.test/', { deadlineMs: 100 }))).toMatchObject({
      outcome: 'not_measured',
      cause: 'dns_failed',
    })
  })

  test('behavior: a cancelled probe and a closed prober are our own fault', async () => {
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

  test('behavior: sends SNI for the name and checks its certificate', async () => {
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
    const untrusting = start([port])
    expect(await untrusting.probe(target(`https://a.shop.test:${port}/`))).toMatchObject({
      outcome: 'down',
      cause: 'tls_failed',
    })
  })

  test('behavior: a plain HTTP server at an https URL is a TLS failure', async () => {
    const port = await serve((_request, response) => void response.end())
    expect(await start([port]).probe(target(`https://a.test:${port}/`))).toMatchObject({
      outcome: 'down',
      cause: 'tls_failed',
    })
  })

  test('behavior: uses HTTP/2 with a server that supports nothing else', async () => {
    const server = createSecureServer(trusted, (_request, response) => {
      response.writeHead(402, { 'payment-required': encodeBase64Json(challengeV2()) })
      response.end('{}')
    })
    const port = await listen(server)
    const result = await start([port], { ca: [trusted.cert] }).probe(target(`https://a.shop.test:${port}/`))
    expect(result).toMatchObject({ outcome: 'up', cause: 'challenge' })
  })
})
