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
  test('default: returns the signed fields of a verdict', async () => {
    const state = await createClient({ thumbprints: [service.thumbprint] }).get(ENDPOINT)
    expect(state).toMatchObject({
      state: 'signed',
      verdict: { endpoint: ENDPOINT, verdict: 'safe', probes: 5 },
    })
  })

  test('behavior: accepts a signed verdict of an unknown endpoint', async () => {
    const state = await createClient().get('https://api.example.com/other')
    expect(state).toMatchObject({ state: 'signed', verdict: { verdict: 'unknown', terms: [] } })
  })

  test('behavior: shares one request between callers and caches its answer', async () => {
    const client = createClient()
    await Promise.all(Array.from({ length: 50 }, () => client.get(ENDPOINT)))
    await client.get(ENDPOINT)
    expect(service.asked).toHaveLength(1)
    clock += 60_001
    await client.get(ENDPOINT)
    expect(service.asked).toHaveLength(2)
  })

  test('behavior: a decision from the future is used once and not kept, so that it stands in the way of no later one', async () => {
    const year = 365 * 86_400_000
    const client = createClient({ maxAgeMs: 60_000, retryAfterMs: 0 })
    // The clock of the service was a year ahead for a moment.
    service.decisions.set(ENDPOINT, {
      verdict: 'safe',
      seq: clock + year,
      expiresAt: new Date(clock + year + 3_600_000).toISOString(),
    })
    expect(await client.get(ENDPOINT)).toMatchObject({ verdict: { verdict: 'safe' } })
    service.decisions.set(ENDPOINT, { verdict: 'avoid', seq: clock + 5_000_000 })
    expect(await client.get(ENDPOINT)).toMatchObject({ verdict: { verdict: 'avoid' } })
  })

  test('behavior: ignores the unsigned fields of an answer', async () => {
    const answer = await service.answer(ENDPOINT, { verdict: 'avoid' })
    service.fault = json({ ...answer, verdict: 'safe', label: 'Safe to pay', terms: [] })
    expect(await createClient().get(ENDPOINT)).toMatchObject({ verdict: { verdict: 'avoid' } })
  })

  test('behavior: reads the verdicts of services with other flags and fields', async () => {
    const change = { riskLevel: 'unknown', flags: ['flag_of_a_later_version'] } as const
    const { signature } = await service.answer(ENDPOINT, { ...change, flags: [...change.flags] })
    service.fault = json({ endpoint: ENDPOINT, signature, overruledBy: change.flags })
    expect(await createClient().get(ENDPOINT)).toMatchObject({ state: 'signed', verdict: change })
  })

  test('behavior: caches a failure, then retries', async () => {
    service.fault = (_, response) => Boolean(response.writeHead(503).end())
    const client = createClient()
    await client.get(ENDPOINT)
    await client.get(ENDPOINT)
    expect(service.asked).toHaveLength(1)
    clock += 5_001
    service.fault = null
    expect(await client.get(ENDPOINT)).toMatchObject({ state: 'signed' })
  })

  test('behavior: uses an unexpired verdict during an outage if the policy allows', async () => {
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

  test('behavior: reports the last avoid verdict after its expiry', async () => {
    service.decisions.set(ENDPOINT, { verdict: 'avoid' })
    const client = createClient()
    await client.get(ENDPOINT)
    service.fault = (_, response) => Boolean(response.writeHead(500).end())
    clock += 7_200_000
    expect(await client.get(ENDPOINT)).toMatchObject({ state: 'unavailable', lastSeen: 'avoid' })
  })

  test('behavior: reports a last verdict of high risk as avoid, though it was unknown', async () => {
    service.decisions.set(ENDPOINT, { verdict: 'unknown', riskLevel: 'high' })
    const client = createClient()
    expect(await client.get(ENDPOINT)).toMatchObject({ verdict: { verdict: 'unknown', riskLevel: 'high' } })
    service.fault = (_, response) => Boolean(response.writeHead(500).end())
    clock += 7_200_000
    expect(await client.get(ENDPOINT)).toMatchObject({ state: 'unavailable', lastSeen: 'avoid' })
  })

  test('behavior: refuses a lower sequence number until the newer verdict expires', async () => {
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

  test('behavior: keeps the first keys seen', async () => {
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

  test('behavior: does not trust a rotated key without a pin', async () => {
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

  test('behavior: trusts a rotated key that is pinned', async () => {
    const next = createSigningKey()
    const client = createClient({ thumbprints: [service.thumbprint, (await next).thumbprint] })
    await client.get(ENDPOINT)
    await service.rotate(next)
    service.decisions.set(ENDPOINT, { verdict: 'avoid' })
    clock += 300_000
    expect(await client.get(ENDPOINT)).toMatchObject({ state: 'signed', verdict: { verdict: 'avoid' } })
    expect(service.keySetsRead).toBe(2)
  })

  test('error: a former pinned key speaks for nothing once a newer one has signed', async () => {
    const next = createSigningKey()
    const client = createClient({ thumbprints: [service.thumbprint, (await next).thumbprint], maxAgeMs: 0 })
    const expiresAt = new Date(clock + 4 * 3_600_000).toISOString()
    const former = await service.answer(ENDPOINT, { verdict: 'safe', seq: 1000, expiresAt })
    await client.get(ENDPOINT)
    await service.rotate(next)
    clock += 300_000
    const other = 'https://api.example.com/other'
    const newerOther = await service.answer(other, { verdict: 'safe', expiresAt })
    service.decisions.set(ENDPOINT, { verdict: 'avoid', seq: 10 })
    expect(await client.get(ENDPOINT)).toMatchObject({ state: 'signed', verdict: { verdict: 'avoid' } })
    service.fault = json(former)
    clock += 10_000
    // The newer key has signed a lower number, as after a restored store.
    expect(await client.get(ENDPOINT)).toMatchObject({ state: 'signed', verdict: { verdict: 'avoid' } })
    clock += 3_600_000
    expect(await client.get(ENDPOINT)).toMatchObject({
      state: 'unavailable',
      detail: 'A newer pinned key has signed since.',
      lastSeen: 'avoid',
    })
    service.fault = json(newerOther)
    expect(await client.get(other)).toMatchObject({ state: 'signed' })
  })

  test('error: an older decision of another key is a replay too', async () => {
    const client = createClient({ maxAgeMs: 0 })
    await service.rotate()
    await client.get('https://api.example.com/other')
    const replayed = await service.answer(ENDPOINT, { verdict: 'safe', seq: 5 })
    service.decisions.set(ENDPOINT, { verdict: 'avoid', seq: 10 })
    await client.get(ENDPOINT)
    service.fault = json(replayed)
    clock += 10_000
    expect(await client.get(ENDPOINT)).toMatchObject({ verdict: { verdict: 'avoid' } })
  })

  test('behavior: limits re-reads for unknown keys and never trusts unpinned ones', async () => {
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

  test('behavior: keeps the known keys if a re-read fails', async () => {
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
    ['a timeout', async () => () => true],
    [
      'a truncated body',
      async () => (_, response) =>
        Boolean(response.writeHead(200, { 'content-length': 1000 }).write('{"end')),
    ],
    ['an HTML page', async () => json('<html></html>')],
    ['an empty object', async () => json({})],
    ['an endless body', async () => json('x'.repeat(300_000))],
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
  ])('error: treats %s as unavailable', async (_, makeFault) => {
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
  ])('error: refuses a signature header with %s', async (_, header) => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const answer = await service.answer(ENDPOINT)
    const payload = await decision(answer.signature)
    const readJson = async (path: string) =>
      path === '/verify'
        ? { ...answer, signature: signJws(payload, privateKey, header) }
        : { keys: [publicKey.export({ format: 'jwk' })] }
    expect(await createClient({ readJson }).get(ENDPOINT)).toMatchObject({
      detail: 'The signature has the wrong type.',
    })
  })

  test('error: refuses a key that is not pinned', async () => {
    const client = createClient({ thumbprints: ['A'.repeat(43)] })
    expect(await client.get(ENDPOINT)).toMatchObject({
      detail: 'The service does not publish the pinned key.',
    })
  })
})

async function decision(jws: string | undefined): Promise<Record<string, unknown>> {
  return JSON.parse(Buffer.from(jws?.split('.')[1] ?? '', 'base64url').toString())
}
