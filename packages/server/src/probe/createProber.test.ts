import type { RequestListener } from 'node:http'
import { createServer as createNetServer } from 'node:net'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { encodeBase64Json } from '@touchstone402/shared'
import { describe, expect, test } from 'vitest'
import type { ProbeTarget } from '../lib/prober.ts'
import {
  challengeV1,
  challengeV2,
  cleanUpAfterEach,
  listen,
  RECEIVER,
  serve,
  start,
  target,
  USDC,
} from './testing/harness.ts'

cleanUpAfterEach()

/** Probes a server with this listener. */
async function ask(listener: RequestListener, more: Partial<ProbeTarget> = {}) {
  const port = await serve(listener)
  return start([port]).probe(target(`http://shop.test:${port}/quote`, more))
}

describe('createProber', () => {
  test('default', async () => {
    const seen: unknown[] = []
    const result = await ask((request, response) => {
      seen.push(
        request.method,
        request.url,
        request.headers.host?.split(':')[0],
        request.headers['user-agent'],
      )
      response.writeHead(402, { 'payment-required': encodeBase64Json(challengeV2()) }).end('{}')
    })
    expect(result).toEqual({
      client: '0',
      method: 'GET',
      outcome: 'up',
      cause: 'challenge',
      httpStatus: 402,
      latencyMs: expect.any(Number),
      versions: [2],
      offers: [
        {
          x402Version: 2,
          scheme: 'exact',
          network: 'eip155:8453',
          asset: USDC,
          payTo: RECEIVER,
          amountAtomic: '10000',
          unsafeFlow: null,
          unpayable: null,
        },
      ],
      resourceOrigin: 'https://shop.test',
      declaresInput: false,
      declaresOutput: false,
      disagreements: [],
      problems: [],
    })
    expect(seen).toEqual([
      'GET',
      '/quote',
      'shop.test',
      'Touchstone/0.1 (+https://touchstone.test/methodology)',
    ])
  })

  test('behavior: reads a v1 challenge in a compressed body', async () => {
    const result = await ask((_request, response) => {
      response.writeHead(402, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(challengeV1())))
    })
    expect(result).toMatchObject({
      outcome: 'up',
      versions: [1],
      offers: [{ payTo: RECEIVER, network: 'eip155:8453' }],
    })
  })

  test.each([
    ['a charset', 'utf-8', (bytes: Buffer) => bytes],
    ['a coding of uploads', 'aws-chunked', (bytes: Buffer) => bytes],
    ['none', 'none', (bytes: Buffer) => bytes],
    ['raw deflate', 'deflate', deflateRawSync],
    ['gzip twice', 'gzip, gzip', (bytes: Buffer) => gzipSync(gzipSync(bytes))],
    ['gzip that was cut behind the terms', 'gzip', (bytes: Buffer) => gzipSync(bytes).subarray(0, -8)],
  ])('behavior: a v1 seller whose body is under %s is payable', async (_name, encoding, encode) => {
    const result = await ask((_request, response) => {
      const body = encode(Buffer.from(JSON.stringify(challengeV1())))
      response.writeHead(402, { 'content-encoding': encoding }).end(body)
    })
    expect(result).toMatchObject({
      outcome: 'up',
      versions: [1],
      offers: [{ payTo: RECEIVER }],
      problems: [],
    })
  })

  test('behavior: a challenge with the marks of a bot filter is a challenge, and an outage in JSON an outage', async () => {
    const marks = { 'content-type': 'text/html', 'cf-mitigated': 'challenge', 'x-iinfo': '1-2-3' }
    const paid = await ask((_request, response) => {
      response
        .writeHead(402, { ...marks, 'payment-required': encodeBase64Json(challengeV2()) })
        .end('<script id="anubis_challenge"></script>')
    })
    expect(paid).toMatchObject({ outcome: 'up', cause: 'challenge' })
    const failed = await ask((_request, response) => {
      response
        .writeHead(503, { 'content-type': 'application/json', 'x-iinfo': '1-2-3' })
        .end('{"error":"_cf_chl_opt"}')
    })
    expect(failed).toMatchObject({ outcome: 'down', cause: 'server_error' })
    const refused = await ask((_request, response) => {
      response.writeHead(503, { 'content-type': 'text/html' }).end('<script>window._cf_chl_opt={}</script>')
    })
    expect(refused).toMatchObject({ outcome: 'not_measured', cause: 'blocked' })
  })

  test('behavior: says that a body under mixed codings may hold terms for other clients', async () => {
    const result = await ask((_request, response) => {
      response
        .writeHead(402, {
          'payment-required': encodeBase64Json(challengeV2()),
          'content-encoding': 'gzip, utf-8',
        })
        .end(gzipSync(JSON.stringify(challengeV1())))
    })
    expect(result).toMatchObject({ outcome: 'up', problems: ['body_hidden'] })
  })

  test('behavior: sends the declared method and body', async () => {
    const bodies: string[] = []
    const listener: RequestListener = async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      bodies.push(`${request.method} ${request.headers['content-type']} ${body}`)
      response.writeHead(402).end(JSON.stringify(challengeV1()))
    }
    await ask(listener, { method: 'POST', body: '{"q":"x"}' })
    await ask(listener, { method: 'POST' })
    expect(bodies).toEqual(['POST application/json {"q":"x"}', 'POST application/json {}'])
  })

  test('behavior: tells published forms that the guard cannot pay from unpublished ones', async () => {
    const extras = [{ assetTransferMethod: 'permit2' }, { paymentFlow: 'escrow' }, { paymentFlow: { a: 1 } }]
    const found = await Promise.all(
      [...extras, { assetTransferMethod: 'eip3009', name: 'USD Coin' }].map(async (extra) => {
        const { offers } = await ask((_request, response) => {
          response.writeHead(402, { 'payment-required': encodeBase64Json(challengeV2(extra)) }).end()
        })
        return offers.map(({ unsafeFlow, unpayable }) => [unsafeFlow, unpayable])[0]
      }),
    )
    expect(found).toEqual([
      [null, 'method'],
      ['escrow', 'flow'],
      ['unreadable', 'flow'],
      [null, null],
    ])
  })

  test('behavior: reads the x402 part of a 402 that also asks for another protocol', async () => {
    const result = await ask((_request, response) => {
      response
        .writeHead(402, {
          'www-authenticate': ['Payment id="a", method="tempo", intent="charge"', 'L402 macaroon="AA=="'],
          'payment-required': encodeBase64Json(challengeV2()),
          'content-type': 'application/problem+json',
        })
        .end('{"type":"https://paymentauth.org/problems/payment-required","status":402}')
    })
    expect(result).toMatchObject({ outcome: 'up', versions: [2], problems: [] })
  })

  test('behavior: a 402 of another protocol alone is not measured, and its problem says so', async () => {
    const result = await ask((_request, response) => {
      const authenticate = ['Bearer', 'Payment id="a", method="tempo", intent="charge"']
      response.writeHead(402, { 'www-authenticate': authenticate }).end('{"status":402}')
    })
    expect(result).toMatchObject({ outcome: 'not_measured', httpStatus: 402, problems: ['protocol_other'] })
  })

  test('behavior: an answer of a bot filter is not measured', async () => {
    const result = await ask((_request, response) => {
      response.writeHead(503, { 'cf-mitigated': 'challenge' }).end()
    })
    expect(result).toMatchObject({ outcome: 'not_measured', cause: 'blocked' })
  })

  test('behavior: each client identity sends a different user agent', async () => {
    const agents: string[] = []
    const watching = await serve((request, response) => {
      agents.push(String(request.headers['user-agent']))
      response.writeHead(402).end()
    })
    const prober = start([watching])
    const ids: string[] = []
    for (let client = 0; client < prober.clients; client++) {
      ids.push((await prober.probe(target(`http://shop.test:${watching}/`, { client }))).client)
    }
    expect(prober.clients).toBeGreaterThanOrEqual(2)
    expect(ids).toEqual(ids.map((_id, index) => `${index}`))
    expect(new Set(agents).size).toBe(prober.clients)
    expect(agents.filter((agent) => /touchstone/i.test(agent))).toHaveLength(1)
  })
})

const big = 'x'.repeat(1100 * 1024)

describe('limits', () => {
  test('behavior: refuses a raw or decoded body above 1 MiB', async () => {
    const raw = await ask((_request, response) => void response.writeHead(402).end(big))
    // Made before the probe, which a stall of this thread would leave without a measurement.
    const zeros = gzipSync(Buffer.alloc(50 * 1024 * 1024))
    const bomb = await ask((_request, response) => {
      response.writeHead(402, { 'content-encoding': 'gzip' }).end(zeros)
    })
    const nested = await ask((_request, response) => {
      response.writeHead(402, { 'content-encoding': 'gzip, gzip' }).end(gzipSync(zeros))
    })
    expect([raw, bomb, nested].map(({ outcome, cause }) => `${outcome}/${cause}`)).toEqual([
      'down/too_large',
      'down/too_large',
      'down/too_large',
    ])
  })

  test('behavior: accepts a challenge header beside an oversized body', async () => {
    const result = await ask((_request, response) => {
      response.writeHead(402, { 'payment-required': encodeBase64Json(challengeV2()) }).end(big)
    })
    // Without a type it may be a challenge.
    expect(result).toMatchObject({ outcome: 'up', problems: ['body_too_large', 'body_hidden'] })
  })

  test('behavior: refuses headers above the limit', async () => {
    const port = await listen(
      createNetServer((socket) => {
        socket.on('error', () => {})
        socket.end(`HTTP/1.1 402 Payment Required\r\nx-big: ${'x'.repeat(100 * 1024)}\r\n\r\n`)
      }),
    )
    const result = await start([port]).probe(target(`http://shop.test:${port}/`))
    expect(result).toMatchObject({ outcome: 'down', cause: 'too_large' })
  })

  test('behavior: the deadline ends probes of sellers that stay silent, trickle bytes or never finish the handshake', async () => {
    const silent = await listen(createNetServer((socket) => void socket.on('error', () => {})))
    const dripping = await serve((_request, response) => {
      response.writeHead(402)
      const timer = setInterval(() => response.write(' '), 20)
      response.once('close', () => clearInterval(timer))
    })
    const prober = start([silent, dripping])
    const startedAt = performance.now()
    const results = await Promise.all(
      [`http://a.test:${silent}/`, `https://b.test:${silent}/`, `http://c.test:${dripping}/`].map((url) =>
        prober.probe(target(url, { deadlineMs: 300 })),
      ),
    )
    expect(results.map(({ outcome, cause }) => `${outcome}/${cause}`)).toEqual(Array(3).fill('down/timeout'))
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })
})

describe('document', () => {
  test('default', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/a.json') response.end('{"a":1}')
      else if (request.url === '/big') response.end(big)
      else response.writeHead(404).end('none')
    })
    const prober = start([port])
    const read = (path: string) => prober.document(`http://a.test:${port}${path}`)
    expect(await Promise.all(['/a.json', '/big', '/none'].map(read))).toEqual(['{"a":1}', null, null])
    expect(await prober.document('http://127.0.0.1:1/')).toBeNull()
    const large = (maxBytes: number) =>
      prober.document(`http://a.test:${port}/big`, undefined, undefined, maxBytes)
    expect(await Promise.all([big.length, big.length - 1].map(large))).toEqual([big, null])
  })
})
