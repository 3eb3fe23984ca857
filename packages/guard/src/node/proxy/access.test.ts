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
    for (const path of [proxy.weather, '/', '/stop', '/sign']) {
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
    expect(harness.seller.payments).toEqual([])
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
})
