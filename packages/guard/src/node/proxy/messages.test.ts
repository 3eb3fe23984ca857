import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { TOKEN, useProxyHarness } from '../../testing/proxyHarness.ts'
import { deliver } from '../../testing/seller.ts'

const harness = useProxyHarness()

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
      'x-key': 'é',
      accept: 'text/plain',
      authorization: 'Bearer seller',
      'content-length': '4',
      Host: new URL(harness.seller.url).host,
      Connection: 'close',
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
      Connection: 'X-Private, Touchstone-Token',
      'X-Private': '1',
      TE: 'trailers',
      'Keep-Alive': 'timeout=1',
      'Proxy-Authorization': 'Basic x',
      'Touchstone-Max-Usd': '1.00',
      'X-Public': '1',
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
      method: 'POST',
      path: proxy.weather,
      agent: false,
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
