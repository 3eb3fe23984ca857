import type { RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createNetServer, type LookupFunction } from 'node:net'
import { describe, expect, test } from 'vitest'
import { challengeV1, cleanUpAfterEach, listen, serve, start, target } from './testing/harness.ts'
import { makeSelfSigned } from './testing/selfSigned.ts'

cleanUpAfterEach()

describe('redirects', () => {
  const hop = (location: string | undefined, status = 307): RequestListener => {
    return (request, response) => {
      if (request.url === '/paid') response.writeHead(402).end(JSON.stringify({ ...challengeV1() }))
      else response.writeHead(status, location === undefined ? {} : { location }).end()
    }
  }

  test('behavior: follows three redirects within the origin, but not a fourth', async () => {
    const port = await serve((request, response) => {
      const left = Number(request.url?.slice(1))
      if (left === 0) response.writeHead(402).end(JSON.stringify(challengeV1()))
      else response.writeHead(308, { location: `/${left - 1}` }).end()
    })
    const prober = start([port])
    expect(await prober.probe(target(`http://a.test:${port}/3`))).toMatchObject({ outcome: 'up' })
    expect(await prober.probe(target(`http://a.test:${port}/4`))).toMatchObject({
      outcome: 'down',
      cause: 'redirect_refused',
    })
  })

  test('behavior: a redirect without a location is down', async () => {
    const port = await serve(hop(undefined))
    const result = await start([port]).probe(target(`http://a.test:${port}/`))
    expect(result).toMatchObject({ outcome: 'down', cause: 'redirect_refused', httpStatus: 307 })
  })

  test('behavior: follows a redirect from http to https of the same host', async () => {
    const certificate = makeSelfSigned(['a.shop.test'])
    const secure = createTlsServer(certificate, hop(undefined))
    const tlsPort = await listen(secure)
    const port = await serve(hop(`https://a.shop.test:${tlsPort}/paid`))
    const prober = start([port, tlsPort], { ca: [certificate.cert] })
    expect(await prober.probe(target(`http://a.shop.test:${port}/`))).toMatchObject({ outcome: 'up' })
    expect(await prober.probe(target(`https://a.shop.test:${tlsPort}/`))).toMatchObject({
      cause: 'redirect_refused',
    })
  })

  test('behavior: keeps method and body at 307, and sends GET at 302', async () => {
    const bodies: string[] = []
    const port = await serve(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      bodies.push(`${request.url} ${request.method} ${body}`)
      if (request.url === '/end') response.writeHead(402).end()
      else response.writeHead(Number(request.url?.slice(1)), { location: '/end' }).end()
    })
    const prober = start([port])
    for (const status of [307, 302]) {
      await prober.probe(target(`http://a.test:${port}/${status}`, { method: 'POST', body: '{"a":1}' }))
    }
    expect(bodies).toEqual(['/307 POST {"a":1}', '/end POST {"a":1}', '/302 POST {"a":1}', '/end GET '])
  })

  test.each([
    'http://other.test/paid',
    'http://127.0.0.1:1/',
    'file:///etc/passwd',
    'http://u:p@a.test/',
    '//[::1]/',
  ])('behavior: does not follow a redirect to %s', async (location) => {
    const port = await serve(hop(location))
    const result = await start([port]).probe(target(`http://a.test:${port}/`))
    expect(result.outcome).toBe('not_measured')
    expect(['redirect_refused', 'address_refused']).toContain(result.cause)
  })
})

describe('address guard', () => {
  test('behavior: does not dial names or literals that resolve to loopback', async () => {
    let connections = 0
    const port = await listen(createNetServer(() => void connections++))
    // Its port is open, so that only the address check refuses.
    const prober = start([], { allowPrivate: [`elsewhere.example:${port}`] })
    const hosts = [
      'shop.test',
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '127.1',
      '[::ffff:127.0.0.1]',
      '[::1]',
      '[::7f00:1]',
    ]
    for (const host of hosts) {
      for (const scheme of ['http', 'https']) {
        const result = await prober.probe(target(`${scheme}://${host}:${port}/`))
        expect([host, result.outcome, result.cause]).toEqual([host, 'not_measured', 'address_refused'])
      }
    }
    expect(connections).toBe(0)
  })

  test('behavior: refuses a name if any of its addresses is not allowed', async () => {
    let connections = 0
    const port = await listen(createNetServer(() => void connections++))
    const mixed: LookupFunction = (_hostname, _options, callback) => {
      callback(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '192.168.0.1', family: 4 },
      ])
    }
    const result = await start([port], { lookup: mixed }).probe(target(`http://a.test:${port}/`))
    expect(result).toMatchObject({ outcome: 'not_measured', cause: 'address_refused' })
    expect(connections).toBe(0)
  })

  test('behavior: refuses a closed port before it resolves the name', async () => {
    const names: string[] = []
    const watching: LookupFunction = (hostname, _options, callback) => {
      names.push(hostname)
      callback(null, [{ address: '1.1.1.1', family: 4 }])
    }
    const prober = start([], { lookup: watching })
    expect(await prober.probe(target('http://a.test:22/'))).toMatchObject({ cause: 'address_refused' })
    expect(names).toEqual([])
  })

  test.each([
    'http://a.test@127.0.0.1/',
    'http:127.0.0.1/',
    'gopher://a.test/',
    'not a url',
    'http://a.test\\@b.test/',
  ])('error: refuses the URL %s', async (url) => {
    expect(await start([]).probe(target(url))).toMatchObject({
      outcome: 'not_measured',
      cause: 'address_refused',
    })
  })
})
