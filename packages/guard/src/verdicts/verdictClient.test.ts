import { generateKeyPairSync } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { DECISION_TYPE } from '@touchstone402/shared'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSigningKey, signJws, startService, type TestService } from '../testing/service.ts'
import { createServiceReader, type ReadService } from './serviceApi.ts'
import { createVerdictClient } from './verdictClient.ts'

const ENDPOINT = 'https://api.example.com/weather'
let service: TestService
let clock: number

beforeEach(async () => {
  clock = Date.now()
  service = await startService(() => clock)
  service.decisions.set(ENDPOINT, { verdict: 'safe', probes: 5 })
})
afterEach(() => service.stop())

function createClient(change: Partial<Parameters<typeof createVerdictClient>[0]> = {}) {
  return createVerdictClient({
    readJson: createServiceReader({ url: service.url, timeoutMs: 300, fetch }),
    issuer: service.url,
    maxAgeMs: 60_000,
    retryAfterMs: 5_000,
    useCached: true,
    count: () => {},
    now: () => clock,
    ...change,
  })
}

const json = (body: unknown) => (_: unknown, response: ServerResponse) =>
  Boolean(response.end(typeof body === 'string' ? body : JSON.stringify(body)))

describe('createVerdictClient', () => {
  test('default: a signed verdict, with the fields that the signature covers', async () => {
    const state = await createClient({ thumbprints: [service.thumbprint] }).get(ENDPOINT)
    expect(state).toMatchObject({
      state: 'signed',
      verdict: { endpoint: ENDPOINT, verdict: 'safe', probes: 5 },
    })
  })

  test('behavior: an endpoint that is not known is signed too', async () => {
    const state = await createClient().get('https://api.example.com/other')
    expect(state).toMatchObject({ state: 'signed', verdict: { verdict: 'unknown', terms: [] } })
  })

  test('behavior: one question for many callers, and none while the answer is young', async () => {
    const client = createClient()
    await Promise.all(Array.from({ length: 50 }, () => client.get(ENDPOINT)))
    await client.get(ENDPOINT)
    expect(service.asked).toHaveLength(1)
    clock += 60_001
    await client.get(ENDPOINT)
    expect(service.asked).toHaveLength(2)
  })

  test('behavior: only the unsigned fields of an answer may lie, and they are not used', async () => {
    const answer = await service.answer(ENDPOINT, { verdict: 'avoid' })
    service.fault = json({ ...answer, verdict: 'safe', label: 'Safe to pay', terms: [] })
    expect(await createClient().get(ENDPOINT)).toMatchObject({ verdict: { verdict: 'avoid' } })
  })

  test('behavior: a failure is remembered for a while, then asked again', async () => {
    service.fault = (_, response) => Boolean(response.writeHead(503).end())
    const client = createClient()
    await client.get(ENDPOINT)
    await client.get(ENDPOINT)
    expect(service.asked).toHaveLength(1)
    clock += 5_001
    service.fault = null
    expect(await client.get(ENDPOINT)).toMatchObject({ state: 'signed' })
  })

  test('behavior: an unexpired verdict bridges an outage, unless the policy wants a fresh one', async () => {
    const [lenient, strict] = [createClient(), createClient({ useCached: false })]
    await lenient.get(ENDPOINT)
    await strict.get(ENDPOINT)
    service.fault = (_, response) => Boolean(response.writeHead(500).end())
    clock += 61_000
    expect(await lenient.get(ENDPOINT)).toMatchObject({ state: 'signed' })
    expect(await strict.get(ENDPOINT)).toMatchObject({ state: 'unavailable', lastSeen: 'safe' })
    clock += 3_600_000
    expect(await lenient.get(ENDPOINT)).toMatchObject({ state: 'unavailable' })
  })

  test('behavior: what was last seen as avoid is remembered beyond its end', async () => {
    service.decisions.set(ENDPOINT, { verdict: 'avoid' })
    const client = createClient()
    await client.get(ENDPOINT)
    service.fault = (_, response) => Boolean(response.writeHead(500).end())
    clock += 7_200_000
    expect(await client.get(ENDPOINT)).toMatchObject({ state: 'unavailable', lastSeen: 'avoid' })
  })

  test('behavior: the sequence never goes back while the newer verdict holds', async () => {
    const old = await service.answer(ENDPOINT, { verdict: 'safe' })
    service.decisions.set(ENDPOINT, { verdict: 'avoid' })
    const client = createClient()
    expect(await client.get(ENDPOINT)).toMatchObject({ verdict: { verdict: 'avoid' } })
    clock += 61_000
    service.fault = json(old)
    expect(await client.get(ENDPOINT)).toMatchObject({ verdict: { verdict: 'avoid' } })
    clock += 3_600_000
    expect(await client.get(ENDPOINT)).toMatchObject({ state: 'unavailable', lastSeen: 'avoid' })
  })

  test('behavior: keys that were seen first are kept', async () => {
    const client = createClient()
    await client.get(ENDPOINT)
    const { privateKey } = generateKeyPairSync('ed25519')
    const answer = await service.answer(ENDPOINT)
    const payload = { ...(await decision(answer.signature)), verdict: 'safe' }
    service.fault = json({
      ...answer,
      signature: signJws(payload, privateKey, { alg: 'EdDSA', typ: DECISION_TYPE }),
    })
    const other = 'https://api.example.com/other'
    expect(await client.get(other)).toMatchObject({ state: 'unavailable' })
  })

  test('behavior: a service that goes over to another key is not trusted by who only discovered the first', async () => {
    const client = createClient()
    await client.get(ENDPOINT)
    await service.rotate()
    clock += 3_700_000
    for (let count = 0; count < 3; count++) {
      expect(await client.get(ENDPOINT)).toMatchObject({
        state: 'unavailable',
        detail: 'The signature does not verify with a trusted key.',
      })
      clock += 3_700_000
    }
    expect(service.keySetsRead).toBe(1)
    expect(await createClient().get(ENDPOINT)).toMatchObject({ state: 'signed' })
  })

  test('behavior: one that goes over to another pinned key is followed', async () => {
    const next = createSigningKey()
    const client = createClient({ thumbprints: [service.thumbprint, (await next).thumbprint] })
    await client.get(ENDPOINT)
    await service.rotate(next)
    service.decisions.set(ENDPOINT, { verdict: 'avoid' })
    clock += 300_000
    expect(await client.get(ENDPOINT)).toMatchObject({ state: 'signed', verdict: { verdict: 'avoid' } })
    expect(service.keySetsRead).toBe(2)
  })

  test('behavior: keys that are not pinned are looked for now and then, and never trusted', async () => {
    const client = createClient({ thumbprints: [service.thumbprint] })
    await client.get(ENDPOINT)
    await service.rotate()
    for (let count = 0; count < 100; count++)
      expect(await client.get(`${ENDPOINT}/${count}`)).toMatchObject({ state: 'unavailable' })
    expect(service.keySetsRead).toBe(1)
    clock += 300_000
    for (let count = 100; count < 200; count++)
      expect(await client.get(`${ENDPOINT}/${count}`)).toMatchObject({ state: 'unavailable' })
    expect(service.keySetsRead).toBe(2)
  })

  test('behavior: a key set that cannot be read again takes no key away', async () => {
    const former = await service.answer(ENDPOINT)
    let isDown = false
    const read = createServiceReader({ url: service.url, timeoutMs: 300, fetch })
    const readJson: ReadService = async (path, query) => {
      if (isDown && path !== '/verify') throw new Error('The service did not answer.')
      return read(path, query)
    }
    const client = createClient({ readJson, thumbprints: [service.thumbprint] })
    await client.get('https://api.example.com/other')
    await service.rotate()
    isDown = true
    clock += 300_000
    expect(await client.get('https://api.example.com/another')).toMatchObject({ state: 'unavailable' })
    service.fault = json(former)
    expect(await client.get(ENDPOINT)).toMatchObject({ state: 'signed' })
  })

  test.each<[string, () => Promise<TestService['fault']>]>([
    ['a server error', async () => (_, response) => Boolean(response.writeHead(500).end())],
    ['too many requests', async () => (_, response) => Boolean(response.writeHead(429).end())],
    ['silence', async () => () => true],
    [
      'a body that stops in the middle',
      async () => (_, response) =>
        Boolean(response.writeHead(200, { 'content-length': 1000 }).write('{"end')),
    ],
    ['a page', async () => json('<html></html>')],
    ['an empty object', async () => json({})],
    ['a body without end', async () => json('x'.repeat(300_000))],
    ['a verdict for another URL', async () => json(await service.answer('https://evil.example/weather'))],
    [
      'a signature for another URL',
      async () => json({ ...(await service.answer('https://evil.example/weather')), endpoint: ENDPOINT }),
    ],
    ['no signature', async () => json({ ...(await service.answer(ENDPOINT)), signature: undefined })],
    [
      'a changed signature',
      async () => {
        const answer = await service.answer(ENDPOINT)
        const flipped = answer.signature?.replace(/.{2}$/, (end) => (end === 'AA' ? 'BA' : 'AA'))
        return json({ ...answer, signature: flipped })
      },
    ],
    [
      'an expired verdict',
      async () => json(await service.answer(ENDPOINT, { expiresAt: '2020-01-01T00:00:00.000Z' })),
    ],
    ['another issuer', async () => json(await service.answer(ENDPOINT, { iss: 'https://evil.example' }))],
    [
      'a redirect',
      async () => (request, response) =>
        !request.url?.includes('again') &&
        Boolean(response.writeHead(302, { location: `${request.url}&again=1` }).end()),
    ],
  ])('error: %s is no verdict', async (_, makeFault) => {
    service.fault = await makeFault()
    const startedAt = Date.now()
    expect(await createClient().get(ENDPOINT)).toMatchObject({ state: 'unavailable', lastSeen: null })
    expect(Date.now() - startedAt).toBeLessThan(10_000)
  })

  test.each([
    ['another type', { alg: 'EdDSA', typ: 'JWT' }],
    ['no algorithm', { alg: 'none', typ: DECISION_TYPE }],
    ['a symmetric algorithm', { alg: 'HS256', typ: DECISION_TYPE }],
    ['a critical extension', { alg: 'EdDSA', typ: DECISION_TYPE, crit: ['x'], x: 1 }],
    ['an unencoded payload', { alg: 'EdDSA', typ: DECISION_TYPE, b64: false }],
  ])('error: a header with %s is refused', async (_, header) => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const answer = await service.answer(ENDPOINT)
    const payload = await decision(answer.signature)
    const readJson = async (path: string) =>
      path === '/verify'
        ? { ...answer, signature: signJws(payload, privateKey, header) }
        : { keys: [publicKey.export({ format: 'jwk' })] }
    expect(await createClient({ readJson }).get(ENDPOINT)).toMatchObject({
      detail: 'The signature is not of the expected kind.',
    })
  })

  test('error: a key that is not the pinned one', async () => {
    const client = createClient({ thumbprints: ['A'.repeat(43)] })
    expect(await client.get(ENDPOINT)).toMatchObject({ detail: 'The pinned key is not published.' })
  })
})

async function decision(jws: string | undefined): Promise<Record<string, unknown>> {
  return JSON.parse(Buffer.from(jws?.split('.')[1] ?? '', 'base64url').toString())
}
