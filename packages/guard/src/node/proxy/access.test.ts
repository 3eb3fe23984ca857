import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { answerLookups, askProxy, TOKEN, useProxyHarness } from '../../testing/proxyHarness.ts'
import { deliver } from '../../testing/seller.ts'

const harness = useProxyHarness()

describe('who may reach what', () => {
  test('error: sends no request without the token of a task', async () => {
    const proxy = await harness.start()
    for (const token of [null, '', 'wrong', [TOKEN, TOKEN]]) {
      const { status, text } = await proxy.ask(proxy.weather, { headers: { 'Touchstone-Token': token } })
      expect([status, JSON.parse(text).code]).toEqual([401, 'TOKEN_INVALID'])
    }
    const elsewhere = {
      'Touchstone-Token': null,
      Authorization: `Bearer ${TOKEN}`,
      Cookie: `Touchstone-Token=${TOKEN}`,
    }
    expect(
      (await proxy.ask(`${proxy.weather}?Touchstone-Token=${TOKEN}`, { headers: elsewhere })).status,
    ).toBe(401)
    expect(harness.seller.payments).toEqual([])
  })

  test.each<[string, Record<string, string>]>([
    ['a name that was rebound to this machine', { Host: 'rebound.example:4402' }],
    ['another port', { Host: '127.0.0.1:1' }],
    ['the page of another origin', { Origin: 'https://evil.example' }],
    ['a sandboxed page', { Origin: 'null' }],
    ['an image of a page', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a page of this machine', { 'Sec-Fetch-Site': 'same-site' }],
  ])('error: %s cannot use it, and gets no CORS header', async (_, headers) => {
    const proxy = await harness.start()
    for (const path of [proxy.weather, '/', '/stop', '/sign', '/operator', '/operator/approvals']) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const answer = await proxy.ask(path, { method, headers })
        expect(answer.status).toBe(403)
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
      }
    }
    expect(harness.seller.payments).toEqual([])
  })

  test.each([
    ['CONNECT', 'CONNECT api.example.com:443 HTTP/1.1\r\nHost: HOST\r\n\r\n', 405],
    ['Upgrade', 'GET PATH HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', 405],
    [
      'two lengths',
      'POST PATH HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      400,
    ],
    [
      'a length and chunks',
      'POST PATH HTTP/1.1\r\nHost: HOST\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'an unknown coding',
      'POST PATH HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked, x\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['two hosts', 'GET PATH HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\nConnection: close\r\n\r\n', 403],
    ['a folded header', 'GET PATH HTTP/1.1\r\nHost: HOST\r\nX-A: b\r\n c\r\n\r\n', 400],
  ])('error: %s is refused', async (_, message, status) => {
    const proxy = await harness.start()
    const { host, port } = new URL(proxy.address)
    const socket = connect(Number(port), '127.0.0.1')
    const head = message.replaceAll('HOST', host).replaceAll('PATH', proxy.weather)
    socket.write(head.replace('\r\n', `\r\nTouchstone-Token: ${TOKEN}\r\n`))
    let text = ''
    for await (const chunk of socket.setEncoding('utf8')) text += chunk
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    if (message.includes('websocket')) expect(text).toContain('passes no WebSocket on')
    expect(harness.seller.payments).toEqual([])
  })

  test.each([
    ['h2c', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk'],
    ['a protocol that Connection does not name', 'Upgrade: websocket\r\nConnection: keep-alive'],
  ])('behavior: an offer of %s is ignored, and answered by HTTP/1.1', async (_, lines) => {
    const proxy = await harness.start()
    const seen: string[] = []
    harness.seller.character = {
      before(call, response) {
        seen.push(...Object.keys(call.headers))
        call
          .on('data', (chunk) => response.write(chunk))
          .on('end', () => response.end(`end of ${call.method};`))
        return true
      },
    }
    const { host, port } = new URL(proxy.address)
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8')
    const answers = socket[Symbol.asyncIterator]()
    const own = `HTTP/1.1\r\nHost: ${host}\r\nTouchstone-Token: ${TOKEN}\r\n`
    // On one connection, as clients keep it alive.
    for (const [method, rest, end] of [
      ['GET', `${lines}\r\n\r\n`, 'end of GET;'],
      ['POST', `${lines}\r\nContent-Length: 5\r\n\r\norder`, 'order'],
      ['PUT', 'Content-Length: 2\r\n\r\nno', 'end of PUT;'],
    ] as const) {
      socket.write(`${method} ${proxy.weather} ${own}${rest}`)
      let text = ''
      while (!text.includes(`end of ${method};`)) text += (await answers.next()).value
      expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n/)
      expect(text).toContain(end)
    }
    socket.destroy()
    expect(seen.filter((name) => /upgrade|http2/.test(name))).toEqual([])
  })

  test('error: reaches public addresses and named hosts only, by whatever name', async () => {
    const proxy = await harness.start()
    const { port } = new URL(harness.seller.url)
    for (const host of [
      `localhost:${port}`,
      `[::1]:${port}`,
      '127.1:1',
      `0x7f000001:1`,
      '169.254.169.254',
      '10.0.0.1',
    ]) {
      const { status, text } = await proxy.ask(`/http://${host}/weather`)
      expect([host, status, JSON.parse(text).code]).toEqual([host, 403, 'PrivateAddressError'])
    }
    expect(harness.seller.payments).toEqual([])
  })

  test('error: a name that is rebound after the check is dialled at the checked address', async () => {
    const { port, host } = new URL(harness.seller.url)
    // Nothing listens at the second address.
    const asked = answerLookups(async (_, nth) => (nth === 1 ? '127.0.0.1' : '127.0.0.2'))
    const trusted = await harness.start({ allowHosts: [host, `rebound.example:${port}`] })
    harness.seller.character = { before: (_, response) => Boolean(response.end('free')) }
    expect((await trusted.ask(`/http://rebound.example:${port}/`)).text).toBe('free')
    expect(asked).toEqual(['rebound.example'])
    const proxy = await harness.start()
    expect((await proxy.ask(`/http://rebound.example:${port}/`)).status).toBe(403)
  })

  test('error: the address of the service is no target', async () => {
    const proxy = await harness.start()
    expect((await proxy.ask(`/${harness.service.url}/admin`)).status).toBe(403)
  })

  test('error: a redirect to a private address is checked when the agent follows it', async () => {
    const proxy = await harness.start()
    harness.seller.character = {
      before: (_, response) =>
        Boolean(response.writeHead(302, { location: 'http://127.0.0.1:9/metadata' }).end()),
    }
    const { status, headers } = await proxy.ask(proxy.weather)
    expect([status, headers.location]).toEqual([302, '/http://127.0.0.1:9/metadata'])
    expect((await askProxy(proxy.address, String(headers.location))).status).toBe(403)
  })

  test('error: a target that does not answer is a 502 in the words of the guard', async () => {
    const proxy = await harness.start({ allowHosts: ['127.0.0.1:9'] })
    const { status, text } = await proxy.ask('/http://127.0.0.1:9/')
    expect([status, JSON.parse(text)]).toMatchObject([
      502,
      { code: 'ECONNREFUSED', state: 'none', paid: false },
    ])
  })

  test('error: a payment that the agent brings along does not leave', async () => {
    const proxy = await harness.start()
    let seen = 0
    harness.seller.character = { before: () => ++seen < 0, onPaid: (_, response) => deliver(response) }
    for (const header of ['PAYMENT-SIGNATURE', 'X-PAYMENT']) {
      const { status } = await proxy.ask(proxy.weather, { headers: { [header]: 'e30=' } })
      expect(status).toBe(402)
    }
    expect(seen).toBe(0)
  })

  const SLOW = 'Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n'
  const LARGE = `Content-Length: ${5 * 1024 * 1024}\r\n\r\na`
  const SHORT = 'Content-Length: 10\r\n\r\na'
  test.each([
    ['an L402 token and a slow body', 'Authorization: L402 abc:def', SLOW, 'CREDENTIAL_NOT_READ'],
    ['an LSAT token and a large body', 'Authorization: LSAT abc:def', LARGE, 'CREDENTIAL_NOT_READ'],
    ['an L402 token and a body that does not come', 'Authorization: L402 a:b', SHORT, 'CREDENTIAL_NOT_READ'],
    ['a sign-in and a slow body', 'Sign-In-With-X: e30=', SLOW, 'BODY_NOT_REPEATABLE'],
    ['a sign-in and a large body', 'Sign-In-With-X: e30=', LARGE, 'BODY_NOT_REPEATABLE'],
    ['a payment and a slow body', 'PAYMENT-SIGNATURE: e30=', SLOW, 'BODY_NOT_REPEATABLE'],
    ['a payment and a large body', 'X-PAYMENT: e30=', LARGE, 'BODY_NOT_REPEATABLE'],
    ['a payment of MPP and a large body', 'Authorization: Payment eyJ9', LARGE, 'BODY_NOT_REPEATABLE'],
  ])('error: %s is refused before the body has come, and not sent', async (_, credential, body, code) => {
    const proxy = await harness.start({ policy: { foreignCredentials: 'refuse' } })
    let seen = 0
    harness.seller.character = { before: () => ++seen < 0 }
    const { host, port } = new URL(proxy.address)
    const socket = connect(Number(port), '127.0.0.1')
    socket
      .setEncoding('utf8')
      .write(
        `POST ${proxy.weather} HTTP/1.1\r\nHost: ${host}\r\nTouchstone-Token: ${TOKEN}\r\n${credential}\r\n${body}`,
      )
    let text = ''
    for await (const chunk of socket) {
      text += chunk
      if (text.includes('}\n')) break
    }
    expect(text).toContain(`"code":"${code}"`)
    expect(seen).toBe(0)
  })

  test('behavior: a token of L402 passes where the policy allows it, and other credentials always', async () => {
    const [allows, refuses] = [
      await harness.start(),
      await harness.start({ policy: { foreignCredentials: 'refuse' } }),
    ]
    harness.seller.character = { before: (_, response) => Boolean(response.end('free')) }
    const status = async (proxy: typeof allows, Authorization: string) =>
      (await proxy.ask(proxy.weather, { method: 'POST', body: 'x', headers: { Authorization } })).status
    expect(await status(allows, 'L402 a:b')).toBe(200)
    expect(await status(refuses, 'Bearer abc')).toBe(200)
    expect(await status(refuses, 'L402 a:b')).toBe(402)
  })
})
