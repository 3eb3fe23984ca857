import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import {
  checkFacilitator,
  createFacilitator,
  FACILITATOR_LIMITS,
  type FacilitatorOptions,
} from './facilitator.ts'
import { CALL, type Handler, json, serve } from './testing/serveFacilitator.ts'

const TX = `0x${'a1'.repeat(32)}`

/** Returns a URL that refuses connections. */
async function closedPort() {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

const silent = () => {}

// Short only for the silent server: a slow machine must not time out elsewhere.
const limitOf = (handler: unknown) => (handler === silent ? 100 : 10_000)

/** Creates a facilitator client with the limits of the service, or with given ones. */
function connect(url: string, options: Partial<FacilitatorOptions> = {}) {
  return createFacilitator({
    url,
    headers: {},
    ...FACILITATOR_LIMITS,
    ...options,
  })
}

async function settleWith(handler: Handler) {
  return connect(await serve(handler), { settleTimeoutMs: limitOf(handler) }).settle(CALL)
}

test('default: verifies and settles with the configured headers', async () => {
  const seen: unknown[] = []
  const url = await serve((request, response) => {
    seen.push([request.url, request.headers.authorization])
    json(
      200,
      request.url === '/verify'
        ? { isValid: true }
        : { success: true, transaction: TX, network: 'eip155:8453' },
    )(request, response)
  })
  const facilitator = connect(url, { headers: { authorization: 'Bearer 1' } })
  expect(await facilitator.verify(CALL)).toEqual({ kind: 'valid' })
  expect(await facilitator.settle(CALL)).toEqual({ kind: 'settled', txHash: TX })
  expect(seen).toEqual([
    ['/verify', 'Bearer 1'],
    ['/settle', 'Bearer 1'],
  ])
})

test('behavior: distinguishes a settlement for which nothing was sent from one that may be under way', async () => {
  const failed = { success: false, transaction: '', network: 'base' }
  const insufficient = { ...failed, errorReason: 'insufficient_funds' }
  for (const status of [200, 400])
    expect(await settleWith(json(status, insufficient))).toMatchObject({
      kind: 'denied',
      reason: 'insufficient_funds',
    })
  // A reason proves nothing if there is a transaction or if it can follow one.
  expect(await settleWith(json(200, { ...insufficient, transaction: TX }))).toMatchObject({
    kind: 'unknown',
    txHash: TX,
  })
  for (const errorReason of [
    'invalid_exact_evm_nonce_already_used',
    'unexpected_settle_error',
    'no receipt in time',
  ]) {
    expect(await settleWith(json(200, { ...failed, errorReason }))).toMatchObject({
      kind: 'unknown',
      txHash: null,
    })
  }
})

test('error: a settlement without a usable answer is unknown', async () => {
  const cases: [string, Handler][] = [
    ['500', json(500, { error: 'x' })],
    ['502 page', (_, response) => response.writeHead(502).end('<html>')],
    ['429', json(429, {})],
    ['garbage', (_, response) => response.writeHead(200).end('\u0000\u0001')],
    ['empty', (_, response) => response.writeHead(200).end()],
    ['wrong shape', json(200, { ok: true })],
    ['success without a transaction', json(200, { success: true, transaction: '', network: 'base' })],
    ['reset', (request) => request.socket.destroy()],
    ['timeout', silent],
  ]
  for (const [name, handler] of cases) {
    expect([name, await settleWith(handler)]).toMatchObject([name, { kind: 'unknown', txHash: null }])
  }
})

test('error: cancels an endless answer and treats its settlement as unknown', async () => {
  let sent = 0
  let endings = 0
  const endless = (_: IncomingMessage, response: ServerResponse) => {
    const blanks = Buffer.alloc(64 * 1024, ' ')
    const fill = () => {
      do sent += blanks.length
      while (response.write(blanks))
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.on('drain', fill).once('close', () => endings++)
    fill()
  }
  const facilitator = connect(await serve(endless))
  expect((await facilitator.settle(CALL)).kind).toBe('unknown')
  expect((await facilitator.verify(CALL)).kind).toBe('unavailable')
  await expect(facilitator.supported()).rejects.toThrow('more than 262144 bytes')
  await expect.poll(() => endings).toBe(3)
  // Both sides have buffered some of it by then.
  expect(sent).toBeLessThan(64 * 2 ** 20)
})

test('error: limits the size of an answer after decompression', async () => {
  const bomb = gzipSync(`${' '.repeat(64 * 2 ** 20)}{"isValid":true,"success":true,"transaction":"${TX}"}`)
  const packed = (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb)
  }
  expect(bomb.length).toBeLessThan(256 * 1024)
  const facilitator = connect(await serve(packed))
  expect((await facilitator.settle(CALL)).kind).toBe('unknown')
  expect((await facilitator.verify(CALL)).kind).toBe('unavailable')
})

test('error: the timeout covers the whole answer, so a byte-by-byte one ends too', async () => {
  const dripping = (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write(' '), 20)
    response.once('close', () => clearInterval(timer))
  }
  const url = await serve(dripping)
  const facilitator = connect(url, { verifyTimeoutMs: 200, settleTimeoutMs: 200 })
  expect((await facilitator.settle(CALL)).kind).toBe('unknown')
  expect((await facilitator.verify(CALL)).kind).toBe('unavailable')
  await expect(facilitator.supported()).rejects.toThrow()
})

test('error: a facilitator that was never reached has settled nothing', async () => {
  const facilitator = connect(await closedPort())
  expect((await facilitator.settle(CALL)).kind).toBe('unavailable')
  expect((await facilitator.verify(CALL)).kind).toBe('unavailable')
})

test('error: follows no redirect: a settlement that answers one is unknown, and no credentials reach another origin', async () => {
  const seen: unknown[] = []
  const elsewhere = await serve((request, response) => {
    seen.push([request.url, request.headers.authorization])
    json(200, { isValid: true, success: true, transaction: TX, kinds: [] })(request, response)
  })
  for (const [status, location] of [
    [303, await closedPort()],
    [307, elsewhere],
    [308, `${elsewhere}/settle`],
  ] as const) {
    const url = await serve((_, response) => response.writeHead(status, { location }).end())
    const facilitator = connect(url, { headers: { authorization: 'Bearer secret' } })
    expect([status, (await facilitator.settle(CALL)).kind]).toEqual([status, 'unknown'])
    expect([status, (await facilitator.verify(CALL)).kind]).toEqual([status, 'unavailable'])
    await expect(facilitator.supported()).rejects.toThrow()
  }
  expect(seen).toEqual([])
})

test('error: distinguishes an invalid payment from a facilitator that cannot verify', async () => {
  const verify = async (handler: Handler) =>
    connect(await serve(handler), { verifyTimeoutMs: limitOf(handler) }).verify(CALL)
  expect(await verify(json(200, { isValid: false, invalidReason: 'invalid_signature' }))).toEqual({
    kind: 'invalid',
    reason: 'invalid_signature',
  })
  expect(await verify(json(400, { isValid: false, invalidReason: '<script>' }))).toEqual({
    kind: 'invalid',
    reason: 'payment_refused',
  })
  for (const handler of [
    json(500, { isValid: false }),
    json(401, {}),
    json(200, { isValid: 'yes' }),
    silent,
  ]) {
    expect((await verify(handler)).kind).toBe('unavailable')
  }
})

test('behavior: the start-up check names the setting of an unsuitable facilitator and tolerates an unreachable one', async () => {
  const check = async (kinds: unknown) =>
    checkFacilitator(connect(await serve(json(200, { kinds }))), 'eip155:8453')
  const v2 = { x402Version: 2, scheme: 'exact', network: 'eip155:8453' }
  const v1 = { x402Version: 1, scheme: 'exact', network: 'base' }
  expect(await check([v2, v1])).toEqual({ kind: 'ok', speaksV1: true })
  expect(await check([v2])).toEqual({ kind: 'ok', speaksV1: false })
  expect(await check([{ ...v2, network: 'eip155:*' }])).toEqual({ kind: 'ok', speaksV1: false })
  const wrong = await check([
    { ...v2, network: 'eip155:84532' },
    { ...v2, scheme: 'upto' },
  ])
  expect(wrong).toMatchObject({ kind: 'unsuitable' })
  expect(wrong.kind === 'unsuitable' && wrong.message).toMatch(
    /^FACILITATOR_URL: http.* does not settle "exact" on eip155:8453 \(NETWORK\); it settles on: eip155:84532$/,
  )
  const absent = connect(await closedPort())
  expect((await checkFacilitator(absent, 'eip155:8453')).kind).toBe('unreachable')
})
