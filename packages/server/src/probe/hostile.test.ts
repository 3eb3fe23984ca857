import { createServer as createTlsServer } from 'node:https'
import { createServer as createNetServer, type LookupFunction } from 'node:net'
import { encodeBase64Json } from '@touchstone402/shared'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classifyAnswer } from './classifyAnswer.ts'
import { observeChallenge } from './describeProbe.ts'
import {
  challengeV1,
  challengeV2,
  cleanUpAfterEach,
  listen,
  serve,
  start,
  target,
} from './testing/harness.ts'
import { makeSelfSigned } from './testing/selfSigned.ts'

cleanUpAfterEach()

const OUTCOMES = ['up', 'down', 'not_measured']

describe('hostile answers', () => {
  test('behavior: any bytes from a seller become a result that is neither up nor our own fault', async () => {
    let bytes = new Uint8Array()
    const port = await listen(
      createNetServer((socket) => {
        socket.on('error', () => {}).end(bytes)
      }),
    )
    const prober = start([port])
    const prefix = fc.constantFrom(
      '',
      'HTTP/1.1 402 \r\n',
      'HTTP/1.1 402 \r\n\r\n',
      'HTTP/1.1 307 x\r\nlocation: ',
    )
    await fc.assert(
      fc.asyncProperty(prefix, fc.uint8Array({ maxLength: 400 }), async (head, rest) => {
        bytes = Buffer.concat([Buffer.from(head), rest])
        const { outcome, cause } = await prober.probe(target(`http://a.test:${port}/`, { deadlineMs: 1_000 }))
        return outcome !== 'up' && cause !== 'own_fault'
      }),
    )
  })

  test('behavior: any JSON in place of a challenge is classified without throwing', () => {
    const entry = fc.oneof(fc.jsonValue(), fc.record({ ...anyOf(challengeV1().accepts[0] ?? {}) }))
    const document = fc.oneof(
      fc.jsonValue(),
      fc.record({ x402Version: fc.constantFrom(1, 2, '1', 3), accepts: fc.array(entry, { maxLength: 4 }) }),
    )
    fc.assert(
      fc.property(document, document, fc.boolean(), (header, body, declaresInput) => {
        const { outcome, challenge, signable } = classifyAnswer({
          status: 402,
          header: encodeBase64Json(header),
          body: JSON.stringify(body),
          isTooLarge: false,
          isBotFilter: false,
          declaresInput,
        })
        const observed = observeChallenge(challenge, signable)
        return OUTCOMES.includes(outcome) && (outcome === 'up') === observed.offers.length > 0
      }),
    )
  })

  test('behavior: the deadline ends an endless stream of 103 responses', async () => {
    const port = await listen(
      createNetServer((socket) => {
        const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'), 5)
        socket.on('error', () => {}).on('close', () => clearInterval(timer))
      }),
    )
    const result = await start([port]).probe(target(`http://a.test:${port}/`, { deadlineMs: 200 }))
    expect(result).toMatchObject({ outcome: 'down', cause: 'timeout' })
  })

  test('behavior: a repeated challenge header is read as clients do that take one of them', async () => {
    const header = encodeBase64Json(challengeV2())
    const port = await serve((_request, response) => {
      response.writeHead(402, { 'payment-required': [header, header] }).end()
    })
    const result = await start([port]).probe(target(`http://a.test:${port}/`))
    expect(result).toMatchObject({ outcome: 'up', problems: ['header_not_base64_json'] })
    expect(result.offers.every(({ lenient }) => lenient)).toBe(true)
  })
})

describe('names with several addresses', () => {
  const both: LookupFunction = (_name, _options, answer) => {
    answer(null, [
      { address: '127.0.0.2', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ])
  }

  test('behavior: tries the next address after a refusal', async () => {
    const certificate = makeSelfSigned(['a.shop.test'])
    const plain = await serve(
      (_request, response) => void response.writeHead(402).end(JSON.stringify(challengeV1())),
    )
    const secure = await listen(
      createTlsServer(certificate, (_request, response) => {
        response.writeHead(402).end(JSON.stringify(challengeV1()))
      }),
    )
    const allowPrivate = ['127.0.0.1', '127.0.0.2']
    const prober = start([], { lookup: both, allowPrivate, ca: [certificate.cert] })
    expect(await prober.probe(target(`http://a.shop.test:${plain}/`))).toMatchObject({ outcome: 'up' })
    expect(await prober.probe(target(`https://a.shop.test:${secure}/`))).toMatchObject({ outcome: 'up' })
  })

  test('behavior: refuses a name with more than 32 addresses', async () => {
    const many: LookupFunction = (_name, _options, answer) => {
      answer(
        null,
        Array.from({ length: 100 }, () => ({ address: '127.0.0.1', family: 4 })),
      )
    }
    const prober = start([], { lookup: many, allowPrivate: ['127.0.0.1'] })
    expect(await prober.probe(target('http://a.test:81/'))).toMatchObject({ outcome: 'not_measured' })
  })
})

function anyOf(fields: object) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, fc.jsonValue()),
    ]),
  )
}
