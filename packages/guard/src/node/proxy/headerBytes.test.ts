import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { TOKEN, useProxyHarness } from '../../testing/proxyHarness.ts'

const harness = useProxyHarness()

/** Bytes of UTF-8, as Java and curl send them, and one byte of Latin-1. */
const BYTES = 'W\xc3\x9crze \xfc'

/** Starts a seller that answers with these bytes. Returns its host and the bytes that it received. */
async function startRawSeller(answer: string) {
  const received: string[] = []
  const server = createServer((socket: Socket) => {
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (!/\r\n\r\n(?:.*END)?$/s.test(text) || (/^P/.test(text) && !text.includes('END'))) return
      received.push(text)
      socket.end(Buffer.from(answer, 'latin1'))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

/** Sends parts of a request to a proxy, one after the other, and returns the answer, all as bytes. */
async function exchange(address: string, parts: string[], gapMs = 0): Promise<string> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1')
  for (const [index, part] of parts.entries()) {
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, gapMs))
    socket.write(Buffer.from(part, 'latin1'))
  }
  let text = ''
  for await (const chunk of socket) text += chunk.toString('latin1')
  return text
}

async function setUp(answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok') {
  const seller = await startRawSeller(answer)
  const proxy = await harness.start({ allowHosts: [seller.host] })
  const { host } = new URL(proxy.address)
  const head = (start: string, ...lines: string[]) => {
    const [method, path = '/'] = start.split(' ')
    const own = [`Host: ${host}`, `Touchstone-Token: ${TOKEN}`, 'Connection: close', ...lines]
    return [`${method} /http://${seller.host}${path} HTTP/1.1`, ...own, '', ''].join('\r\n')
  }
  return { seller, proxy, head, send: (parts: string[], gapMs = 0) => exchange(proxy.address, parts, gapMs) }
}

describe('bytes of headers reach', () => {
  test.each<[string, string[], number]>([
    ['without a body', ['GET /'], 0],
    ['with a body', ['POST /', 'Content-Length: 7'], 0],
    ['with a body in chunks', ['POST /', 'Transfer-Encoding: chunked'], 0],
    ['with a body that streams', ['POST /', 'Transfer-Encoding: chunked'], 250],
  ])('behavior: the seller unchanged, %s', async (_, [start = '', ...lines], gapMs) => {
    const { seller, head, send } = await setUp()
    const isChunked = lines.join().includes('chunked')
    const body = start === 'GET /' ? [] : isChunked ? ['3\r\nEND\r\n0\r\n\r\n'] : ['a b END']
    expect(await send([head(start, ...lines, `X-City: ${BYTES}`), ...body], gapMs)).toContain('ok')
    expect(seller.received[0]).toMatch(new RegExp(`\r\nx-city: ${BYTES}\r\n`))
  })

  test.each([
    ['with a body', 'GET /', '200 K\xc3\xb6', 'Content-Length: 2\r\n\r\nok'],
    ['with a stream', 'GET /', '200 K\xc3\xb6', '\r\nok'],
    ['without a body', 'GET /', '204 K\xc3\xb6', '\r\n'],
    ['to HEAD', 'HEAD /', '200 K\xc3\xb6', 'Content-Length: 2\r\n\r\n'],
    ['with an error', 'GET /', '404 K\xc3\xb6', 'Content-Length: 2\r\n\r\nok'],
  ])('behavior: the agent unchanged, %s, and its reason phrase', async (_, start, status, rest) => {
    const { head, send } = await setUp(
      `HTTP/1.1 ${status}\r\nX-City: ${BYTES}\r\nSet-Cookie: a=${BYTES}; Path=/x\r\n${rest}`,
    )
    const answer = await send([head(start)])
    expect(answer.split('\r\n')[0]).toBe(`HTTP/1.1 ${status}`)
    expect(answer).toContain(`\r\nx-city: ${BYTES}\r\n`)
    expect(answer).toContain(`\r\nset-cookie: a=${BYTES};`)
  })

  test('behavior: both unchanged, if the call is paid', async () => {
    const proxy = await harness.start()
    let sent = ''
    harness.seller.character = {
      onPaid: (request, response) => {
        sent = String(request.headers['x-city'])
        const lines = `HTTP/1.1 200 K\xc3\xb6\r\nX-City: ${BYTES}\r\nContent-Length: 2\r\n\r\nok`
        response.socket?.end(Buffer.from(lines, 'latin1'))
      },
    }
    const { host } = new URL(proxy.address)
    const own = [`Host: ${host}`, `Touchstone-Token: ${TOKEN}`, 'Connection: close', `X-City: ${BYTES}`]
    const answer = await exchange(proxy.address, [
      [`GET ${proxy.weather} HTTP/1.1`, ...own, '', ''].join('\r\n'),
    ])
    expect(answer).toMatch(/^HTTP\/1\.1 200 K\xc3\xb6\r\n/)
    expect(answer).toContain(`\r\nx-city: ${BYTES}\r\n`)
    expect(answer).toContain('\r\ntouchstone-amount-usd: 0.01\r\n')
    expect(sent).toBe(BYTES)
  })

  test('behavior: the agent escaped, in a Location', async () => {
    const { seller, head, send } = await setUp(
      'HTTP/1.1 302 Found\r\nLocation: /\xc3\x9c?\xfc\r\nContent-Length: 0\r\n\r\n',
    )
    const answer = await send([head('GET /')])
    expect(answer).toContain(`\r\nlocation: /http://${seller.host}/%C3%9C?%FC\r\n`)
  })
})
