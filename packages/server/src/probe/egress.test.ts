import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, createServer as createNetServer, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createPublicFetch } from './createPublicFetch.ts'
import { challengeV1, cleanUpAfterEach, listen, lookup, serve, start, target } from './testing/harness.ts'
import { makeSelfSigned } from './testing/selfSigned.ts'

cleanUpAfterEach()

const paid: RequestListener = (_request, response) => {
  response.writeHead(402).end(JSON.stringify(challengeV1()))
}

/** Starts a proxy that tunnels, or answers CONNECT with a status. Keeps what it was asked. */
async function startProxy(status = 200) {
  const asked: { authority: string | undefined; login: string | undefined }[] = []
  const server = createServer((_request, response) => response.writeHead(501).end())
  server.on('connect', (request, client: Socket) => {
    asked.push({ authority: request.url, login: request.headers['proxy-authorization'] })
    if (status !== 200) {
      client.end(`HTTP/1.1 ${status} No\r\n\r\n`)
      return
    }
    const { hostname, port } = new URL(`http://${request.url}`)
    const seller = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      client.pipe(seller).pipe(client)
    })
    client.on('error', () => seller.destroy())
    seller.on('error', () => client.destroy())
  })
  const port = await listen(server)
  return { url: `http://me:s%20cret@127.0.0.1:${port}`, asked }
}

describe('a proxy as the way out', () => {
  test('default: probes go through it, and it is asked for the checked address, never for a name', async () => {
    const port = await serve(paid)
    const { url, asked } = await startProxy()
    const prober = start([port], { egress: { proxy: url } })
    expect(await prober.probe(target(`http://shop.test:${port}/`))).toMatchObject({ outcome: 'up' })
    const login = `Basic ${Buffer.from('me:s cret').toString('base64')}`
    expect(asked).toEqual([{ authority: `127.0.0.1:${port}`, login }])
  })

  test('default: TLS is checked by the name of the seller, through the tunnel', async () => {
    const certificate = makeSelfSigned(['shop.test'])
    const port = await listen(createTlsServer(certificate, paid))
    const { url } = await startProxy()
    const prober = start([port], { egress: { proxy: url }, ca: [certificate.cert] })
    expect(await prober.probe(target(`https://shop.test:${port}/`))).toMatchObject({ outcome: 'up' })
    expect(await prober.probe(target(`https://other.test:${port}/`))).toMatchObject({ cause: 'tls_failed' })
  })

  test('behavior: the address guard decides before the proxy is asked', async () => {
    const { url, asked } = await startProxy()
    const prober = start([], { egress: { proxy: url } })
    for (const seller of ['http://shop.test/', 'http://10.0.0.1/', 'http://169.254.169.254/latest'])
      expect(await prober.probe(target(seller))).toMatchObject({ cause: 'address_refused' })
    expect(asked).toEqual([])
  })

  test('behavior: a seller that the proxy cannot reach is down only if it reached another one', async () => {
    const port = await serve(paid)
    const refusing = await startProxy(502)
    const alone = start([port], { egress: { proxy: refusing.url } })
    expect(await alone.probe(target(`http://shop.test:${port}/`))).toMatchObject({ cause: 'own_fault' })

    const { url } = await startProxy()
    const closed = await listen(createNetServer((socket) => socket.destroy()))
    const prober = start([port, closed], { egress: { proxy: url } })
    expect(await prober.probe(target(`http://shop.test:${port}/`))).toMatchObject({ outcome: 'up' })
    const gone = await prober.probe(target(`http://gone.test:${closed}/`))
    expect(gone).toMatchObject({ outcome: 'down', cause: 'connection_lost' })
  })

  test.each([
    ['refuses the login', 407],
    ['forbids the address', 403],
  ])('error: a proxy that %s is our own fault', async (_name, status) => {
    const port = await serve(paid)
    const { url } = await startProxy(status)
    const prober = start([port], { egress: { proxy: url } })
    expect(await prober.probe(target(`http://shop.test:${port}/`))).toMatchObject({ cause: 'own_fault' })
  })

  test.each([
    ['is not there', (socket: Socket) => socket.destroy()],
    ['answers no HTTP', (socket: Socket) => socket.write(`SSH-2.0-x\r\n\r\n`)],
    ['answers without an end', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\n'.repeat(2_000))],
  ])('error: a proxy that %s is our own fault', async (_name, answer) => {
    const port = await listen(createNetServer((socket) => answer(socket.on('error', () => {}))))
    const prober = start([port], { egress: { proxy: `http://127.0.0.1:${port}` } })
    const result = await prober.probe(target(`http://shop.test:${port}/`, { deadlineMs: 2_000 }))
    expect(result).toMatchObject({ outcome: 'not_measured', cause: 'own_fault' })
  })

  test('error: a proxy that does not answer is our own fault', async () => {
    const port = await listen(createNetServer(() => {}))
    const prober = start([port], { egress: { proxy: `http://127.0.0.1:${port}` } })
    const result = await prober.probe(target(`http://shop.test:${port}/`, { deadlineMs: 200 }))
    expect(result).toMatchObject({ outcome: 'not_measured', cause: 'own_fault' })
  })

  test('default: the fetch of checks and purchases goes through it as well', async () => {
    const port = await serve(paid)
    const { url, asked } = await startProxy()
    const options = { lookup, allowPrivate: [`127.0.0.1:${port}`], ca: [], egress: { proxy: url } }
    const { fetch, close } = createPublicFetch(options)
    expect((await fetch(`http://shop.test:${port}/`)).status).toBe(402)
    await close()
    expect(asked).toHaveLength(1)
  })
})

describe('a local address as the way out', () => {
  test('default: sellers are asked from it', async () => {
    const from: (string | undefined)[] = []
    const port = await serve((request, response) => {
      from.push(request.socket.remoteAddress)
      paid(request, response)
    })
    const prober = start([port], { egress: { localAddress: '127.0.0.9' } })
    expect(await prober.probe(target(`http://shop.test:${port}/`))).toMatchObject({ outcome: 'up' })
    expect(from).toEqual(['127.0.0.9'])
  })

  test('error: an address that reaches no seller is our own fault', async () => {
    const port = await serve(paid)
    // Another family, and no address of this machine.
    for (const localAddress of ['::1', '192.0.2.1']) {
      const prober = start([port], { egress: { localAddress } })
      const result = await prober.probe(target(`http://shop.test:${port}/`))
      expect(result).toMatchObject({ outcome: 'not_measured', cause: 'own_fault' })
    }
  })
})
