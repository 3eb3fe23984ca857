import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import zlib from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { answerLookups, askProxy, TOKEN, useProxyHarness } from '../../testing/proxyHarness.ts'
import { deliver, THIEF } from '../../testing/seller.ts'
import { createProxy, type ProxyDeps } from './createProxy.ts'

const harness = useProxyHarness()

describe('paying', () => {
  test('default: pays for the call, and the answer says what it cost, why, and what is left', async () => {
    const proxy = await harness.start()
    const { status, headers, text } = await proxy.ask(proxy.weather)
    expect({ status, text }).toEqual({ status: 200, text: '{"weather":"sunny"}' })
    expect(headers).toMatchObject({
      'touchstone-state': 'settled',
      'touchstone-payment': expect.stringMatching(/./),
      'touchstone-amount-usd': '0.01',
      'touchstone-transaction': `0x${'ab'.repeat(32)}`,
      'touchstone-verdict': 'safe',
      'touchstone-remaining-usd': '1.99',
    })
    expect([proxy.counter.signatures, harness.seller.payments.length]).toEqual([1, 1])
  })

  test('behavior: works without a service, by what the policy allows for new sellers', async () => {
    const proxy = await harness.start({ service: undefined })
    expect(await proxy.ask(proxy.weather)).toMatchObject({
      status: 200,
      headers: { 'touchstone-verdict': 'none' },
    })
  })

  test('behavior: a refusal is a 402 with the facts as JSON, and is no challenge to pay', async () => {
    const proxy = await harness.start()
    harness.seller.character = { terms: [{ payTo: THIEF }] }
    const { status, headers, text } = await proxy.ask(proxy.weather)
    expect({ status, code: headers['touchstone-code'] }).toEqual({
      status: 402,
      code: 'RECEIVER_NOT_CHECKED',
    })
    expect(JSON.parse(text)).toMatchObject({
      code: 'RECEIVER_NOT_CHECKED',
      ...{ paid: false, state: 'none', offered: { amountUsd: '0.01', payTo: THIEF } },
      remedy: expect.stringMatching(/./),
    })
    expect(text).not.toContain('accepts')
    expect(headers['payment-required']).toBeUndefined()
    expect(proxy.counter.signatures).toBe(0)
  })

  test('behavior: the budget of a task holds beside that of another', async () => {
    const tasks = new Map([
      [TOKEN, { name: 'small', maxUsd: '0.02' }],
      ['other', { name: 'large', maxUsd: '1.00' }],
    ])
    const proxy = await harness.start({ tasks })
    const statuses = async (token: string, calls: number) => {
      const found = []
      for (let call = 0; call < calls; call++) {
        const path = `${proxy.weather}?${token}${call}`
        found.push((await proxy.ask(path, { headers: { 'Touchstone-Token': token } })).status)
      }
      return found
    }
    expect(await statuses(TOKEN, 3)).toEqual([200, 200, 402])
    expect(await statuses('other', 3)).toEqual([200, 200, 200])
  })

  test('behavior: Touchstone-Max-Usd limits one call', async () => {
    const proxy = await harness.start()
    const dear = await proxy.ask(proxy.weather, { headers: { 'Touchstone-Max-Usd': '0.001' } })
    expect([dear.status, JSON.parse(dear.text).code]).toEqual([402, 'OVER_CALL_LIMIT'])
    const wrong = await proxy.ask(proxy.weather, { headers: { 'Touchstone-Max-Usd': 'much' } })
    expect([wrong.status, JSON.parse(wrong.text).reason]).toEqual([402, expect.stringContaining('maxUsd')])
  })

  test('behavior: fifty calls at once stay within the budget', async () => {
    const proxy = await harness.start({ policy: { velocity: { perHostPerMinute: 100 } } })
    const calls = Array.from({ length: 50 }, (_, call) => proxy.ask(`${proxy.weather}?${call}`))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(new Set(harness.seller.payments).size).toBe(50)
  })

  test('behavior: a repeat of a call that got no answer sends the same payment again', async () => {
    const proxy = await harness.start()
    harness.seller.character = { onPaid: (_, response) => void response.socket?.destroy() }
    const broken = await proxy.ask(proxy.weather)
    expect([broken.status, JSON.parse(broken.text)]).toMatchObject([
      502,
      { state: 'sent', code: 'NO_ANSWER' },
    ])
    harness.seller.character = {}
    expect(await proxy.ask(proxy.weather)).toMatchObject({ status: 200 })
    expect([proxy.counter.signatures, new Set(harness.seller.payments).size]).toEqual([1, 1])
  })

  test('behavior: a task neither repeats nor uses up the payment of another for an equal call', async () => {
    const tasks = new Map([
      [TOKEN, { name: 'owner', maxUsd: '0.01' }],
      ['other', { name: 'poor', maxUsd: '0.005' }],
    ])
    const proxy = await harness.start({ tasks, policy: { maxStrikes: 9 } })
    harness.seller.character = { onPaid: (_, response) => void response.socket?.destroy() }
    expect((await proxy.ask(proxy.weather)).status).toBe(502)
    harness.seller.character = {}
    const other = await proxy.ask(proxy.weather, { headers: { 'Touchstone-Token': 'other' } })
    expect([other.status, JSON.parse(other.text).code]).toEqual([402, 'OVER_TASK_LIMIT'])
    expect((await proxy.ask(proxy.weather)).status).toBe(200)
    expect([proxy.counter.signatures, new Set(harness.seller.payments).size]).toEqual([1, 1])
  })

  test('behavior: Touchstone-Call-Key tells an intended duplicate from a repeat, and is not sent on', async () => {
    const proxy = await harness.start({ policy: { maxStrikes: 9 } })
    const seen: unknown[] = []
    harness.seller.character = {
      before: (call) => seen.push(call.headers['touchstone-call-key']) < 0,
      onPaid: (_, response) => void response.socket?.destroy(),
    }
    const ask = (key: string) => proxy.ask(proxy.weather, { headers: { 'Touchstone-Call-Key': key } })
    for (const key of ['1', '2', '2']) expect((await ask(key)).status).toBe(502)
    expect(proxy.counter.signatures).toBe(2)
    expect(new Set(seen)).toEqual(new Set([undefined]))
  })

  test('behavior: an agent that has gone is signed for no more', async () => {
    const proxy = await harness.start()
    let onAsked = () => {}
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve
    })
    const gate: (() => void)[] = []
    harness.service.fault = (_, response) => {
      onAsked()
      gate.push(async () =>
        response.end(JSON.stringify(await harness.service.answer(`${harness.seller.url}/weather`))),
      )
      return true
    }
    const call = request(proxy.address, {
      path: proxy.weather,
      headers: { 'Touchstone-Token': TOKEN },
      agent: false,
    })
    call.on('error', () => {}).end()
    await asked
    call.destroy()
    harness.service.fault = null
    for (const open of gate) open()
    // An equal call is judged by itself, so the first has signed nothing.
    expect((await proxy.ask(proxy.weather)).status).toBe(200)
    expect(proxy.counter.signatures).toBe(1)
  })
})

describe('what passes through', () => {
  test('default: method, headers and body reach the target, and its answer the agent', async () => {
    const proxy = await harness.start()
    const seen: unknown[] = []
    harness.seller.character = {
      before(call, response) {
        call.on('data', (chunk) => seen.push(call.method, call.url, call.rawHeaders, String(chunk)))
        call.on('end', () => response.writeHead(418, 'Teapot', { 'X-Two': ['a', 'b'] }).end('short'))
        return true
      },
    }
    const headers = { 'X-Key': 'é', Accept: 'text/plain', Authorization: 'Bearer seller' }
    const answer = await proxy.ask(`/${harness.seller.url}/a%20b?c=d&c=%2F`, {
      method: 'PUT',
      headers,
      body: Buffer.from('text'),
    })
    const sent = Object.entries({
      'accept-encoding': 'gzip, deflate',
      ...{ 'x-key': 'é', accept: 'text/plain', authorization: 'Bearer seller', 'content-length': '4' },
      ...{ Host: new URL(harness.seller.url).host, Connection: 'close' },
    }).flat()
    expect([seen[0], seen[1], seen[3]]).toEqual(['PUT', '/a%20b?c=d&c=%2F', 'text'])
    expect([...(seen[2] as string[])].sort()).toEqual(sent.sort())
    expect(answer).toMatchObject({ status: 418, text: 'short', headers: { 'x-two': 'a, b' } })
  })

  test('behavior: the token, own and hop-by-hop headers, and those that Connection names, are not sent on', async () => {
    const proxy = await harness.start()
    let seen: IncomingMessage['headers'] = {}
    harness.seller.character = {
      before(call, response) {
        seen = call.headers
        response
          .writeHead(200, { 'Touchstone-State': 'settled', Connection: 'X-Inner', 'X-Inner': '1' })
          .end('free')
        return true
      },
    }
    const headers = {
      ...{
        Connection: 'X-Private, Touchstone-Token',
        'X-Private': '1',
        TE: 'trailers',
        'Keep-Alive': 'timeout=1',
      },
      ...{ 'Proxy-Authorization': 'Basic x', 'Touchstone-Max-Usd': '1.00', 'X-Public': '1' },
    }
    const answer = await proxy.ask(proxy.weather, { headers })
    expect(Object.keys(seen).sort()).toEqual(['accept-encoding', 'connection', 'host', 'x-public'])
    // Nor does a seller speak in the name of the proxy.
    expect(answer.headers).toMatchObject({ 'touchstone-state': 'none' })
    expect(answer.headers['x-inner']).toBeUndefined()
  })

  test('behavior: encoded answers arrive decoded, and say so', async () => {
    const proxy = await harness.start()
    harness.seller.character = {
      before: (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(zlib.gzipSync('plain'))
        return true
      },
    }
    const { text, headers } = await proxy.ask(proxy.weather, { headers: { 'Accept-Encoding': 'gzip' } })
    expect([text, headers['content-encoding']]).toEqual(['plain', undefined])
  })

  test('behavior: redirects come back under the prefix, and cookies stay with their origin', async () => {
    const proxy = await harness.start()
    harness.seller.character = {
      before: (call, response) => {
        const cookies = ['a=1; Domain=example.com; Path=/x; Secure; HttpOnly', 'b=2']
        response.writeHead(307, {
          location: call.url === '/abs' ? 'https://other.example/y?z' : 'next',
          'set-cookie': cookies,
        })
        response.end()
        return true
      },
    }
    const { url } = harness.seller
    const relative = await proxy.ask(proxy.weather)
    expect(relative.headers).toMatchObject({
      location: `/${url}/next`,
      'set-cookie': [`a=1; HttpOnly; Path=/${url}/x`, `b=2; Path=/${url}/`],
    })
    expect((await proxy.ask(`/${url}/abs`)).headers.location).toBe('/https://other.example/y?z')
  })

  test('error: a Location that is no URL is dropped, as lenient clients would follow it past the proxy', async () => {
    const proxy = await harness.start()
    harness.seller.character = {
      before: (_, response) =>
        Boolean(response.writeHead(302, { location: 'http://a b.example:7002/steal' }).end()),
    }
    const { status, headers } = await proxy.ask(proxy.weather)
    expect([status, headers.location]).toEqual([302, undefined])
  })

  test('behavior: a coding that is not decoded keeps its name, and a 205 has no length', async () => {
    const proxy = await harness.start()
    let status = 200
    harness.seller.character = {
      before: (_, response) => {
        response.writeHead(status, { 'content-encoding': 'zstd', 'content-length': '3' })
        return Boolean(response.end(status === 205 ? undefined : 'raw'))
      },
    }
    const raw = await proxy.ask(proxy.weather)
    expect([raw.text, raw.headers['content-encoding'], raw.headers['content-length']]).toEqual([
      'raw',
      'zstd',
      '3',
    ])
    status = 205
    expect((await proxy.ask(proxy.weather)).headers['content-length']).not.toBe('3')
  })

  test.each(['GET', 'TRACE'])(
    'error: %s with a body is refused, since it cannot be passed on',
    async (method) => {
      const proxy = await harness.start()
      const { status, text } = await proxy.ask(proxy.weather, {
        method,
        body: 'x',
        headers: { 'Content-Length': '1' },
      })
      expect([status, JSON.parse(text).code]).toEqual([400, 'REQUEST_INVALID'])
    },
  )

  test('behavior: reads a target with one slash less, as some clients write it', async () => {
    const proxy = await harness.start()
    expect((await proxy.ask(proxy.weather.replace('://', ':/'))).status).toBe(200)
  })

  test.each([
    '/',
    '/weather',
    '/ftp://x.example/',
    '/https://',
    '/https:///x',
    '/https://user:pass@x.example/',
    '/http://[x/',
  ])('error: %s is no target', async (path) => {
    const proxy = await harness.start()
    const { status } = await proxy.ask(path)
    expect(status).toBe(path === '/' ? 401 : 404)
  })

  test('behavior: streams both ways, as the bytes come', async () => {
    const proxy = await harness.start()
    harness.seller.character = {
      before: (call, response) => {
        // Each chunk is answered before the next is sent.
        call.on('data', (chunk) => response.write(`got ${chunk}.`))
        call.on('end', () => response.end())
        return true
      },
    }
    const call = request(proxy.address, {
      ...{ method: 'POST', path: proxy.weather, agent: false },
      headers: { 'Touchstone-Token': TOKEN, 'Transfer-Encoding': 'chunked' },
    })
    call.write('one')
    const [response] = (await once(call, 'response')) as [IncomingMessage]
    const answers = response.setEncoding('utf8')[Symbol.asyncIterator]()
    expect((await answers.next()).value).toBe('got one.')
    call.write('two')
    expect((await answers.next()).value).toBe('got two.')
    call.end()
    expect((await answers.next()).done).toBe(true)
  })

  test('behavior: the head of an answer comes first, and says what was paid for a body that breaks off', async () => {
    const proxy = await harness.start()
    const headers = { 'content-encoding': 'gzip' }
    harness.seller.character = { onPaid: (_, response) => response.writeHead(200, headers).end('no gzip') }
    const asked = { path: proxy.weather, headers: { 'Touchstone-Token': TOKEN }, agent: false }
    const [response] = (await once(request(proxy.address, asked).end(), 'response')) as [IncomingMessage]
    expect(response.headers).toMatchObject({ 'touchstone-state': 'sent', 'touchstone-amount-usd': '0.01' })
    await expect(response.toArray()).rejects.toThrow('aborted')
  })

  test('error: a call whose body cannot be sent twice is not paid, and says what would be', async () => {
    const proxy = await harness.start()
    const body = Buffer.alloc(4 * 1024 * 1024 + 1)
    harness.seller.character = {
      before: (call, response) => {
        if (call.headers['x-free'] === undefined) return false
        let size = 0
        call.on('data', (chunk) => {
          size += chunk.length
        })
        call.on('end', () => response.end(String(size)))
        return true
      },
    }
    const free = await proxy.ask(proxy.weather, { method: 'POST', body, headers: { 'X-Free': '1' } })
    expect(free.text).toBe(String(body.length))
    const { status, text } = await proxy.ask(proxy.weather, { method: 'POST', body })
    expect([status, JSON.parse(text).code]).toEqual([413, 'BODY_NOT_REPEATABLE'])
    expect(proxy.counter.signatures).toBe(0)
  })

  test('behavior: a proxy that stops ends the calls under way first, and takes no others', async () => {
    const proxy = await harness.start()
    const paid = new Promise<() => void>((resolve) => {
      harness.seller.character = { onPaid: (_, response) => resolve(() => deliver(response)) }
    })
    const call = proxy.ask(proxy.weather)
    const release = await paid
    const stopped = proxy.stop()
    await expect(proxy.ask(proxy.weather)).rejects.toThrow('ECONNREFUSED')
    release()
    expect([(await call).status, await stopped]).toEqual([200, undefined])
  })

  test('behavior: an answer that breaks off breaks off for the agent too', async () => {
    const proxy = await harness.start()
    harness.seller.character = {
      before: (_, response) => {
        response.write('half')
        setTimeout(() => response.destroy(), 20)
        return true
      },
    }
    await expect(proxy.ask(proxy.weather)).rejects.toThrow('aborted')
  })
})

describe('what the proxy survives', () => {
  const raw = (address: string, head: string) => {
    const { port, host } = new URL(address)
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
    socket.write(`${head}\r\nHost: ${host}\r\nTouchstone-Token: ${TOKEN}\r\n`)
    return socket
  }

  test('error: an agent that leaves while the name of its target is looked up', async () => {
    const proxy = await harness.start()
    let answer = (_: string) => {}
    const asked = new Promise<void>((resolve) => {
      answerLookups(() => {
        resolve()
        return new Promise((done) => {
          answer = done
        })
      })
    })
    const socket = raw(proxy.address, 'POST /http://slow.example/ HTTP/1.1')
    socket.write('Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n')
    await asked
    socket.destroy()
    await once(socket, 'close')
    answer('127.0.0.1')
    expect((await proxy.ask(proxy.weather)).status).toBe(200)
  })

  test('behavior: it stops although a CONNECT is held open', async () => {
    const proxy = await harness.start()
    const socket = raw(proxy.address, 'CONNECT api.example.com:443 HTTP/1.1')
    socket.write('\r\n')
    await once(socket, 'data')
    await proxy.stop()
    socket.destroy()
  })

  test('default: a connection that sends no request is closed within a minute', () => {
    const { server } = createProxy({ tasks: new Map() } as unknown as ProxyDeps)
    expect([server.headersTimeout, server.requestTimeout]).toEqual([60_000, 900_000])
  })

  test('error: a socket whose group cannot be set is not served', async () => {
    const socket = join(tmpdir(), `touchstone-${process.pid}.sock`)
    const place = { socket, gid: 2 ** 32 }
    await expect(harness.start({ place })).rejects.toThrow('its group or mode cannot be set')
    await expect(askProxy(socket, '/')).rejects.toThrow(/ENOENT|ECONNREFUSED/)
  })

  test('error: bodies that fill the room, and too many calls of one task, get 503', async () => {
    const proxy = await harness.start()
    const held = Array.from({ length: 16 }, () => {
      const socket = raw(proxy.address, `POST ${proxy.weather} HTTP/1.1`)
      socket.write(`Content-Length: ${4 * 1024 * 1024}\r\n\r\na`)
      return socket
    })
    await vi.waitFor(async () => {
      const { status, text } = await proxy.ask(proxy.weather, { method: 'POST', body: 'x' })
      expect([status, JSON.parse(text).code]).toEqual([503, 'BUSY'])
    })
    for (const socket of held) socket.destroy()
    harness.seller.character = { before: (call) => call.url?.endsWith('hang') === true }
    const hanging = Array.from({ length: 100 }, () => {
      const socket = raw(proxy.address, `GET ${proxy.weather}?hang HTTP/1.1`)
      socket.write('\r\n')
      return socket
    })
    await vi.waitFor(async () => expect((await proxy.ask(proxy.weather)).status).toBe(503))
    for (const socket of hanging) socket.destroy()
    await vi.waitFor(async () => expect((await proxy.ask(proxy.weather)).status).toBe(200))
  })
})

describe('who may reach what', () => {
  test('error: without the token of a task nothing is asked of anybody', async () => {
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
