import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSigningKey, startService, type TestService } from '../testing/service.ts'
import { createServiceReader } from './serviceApi.ts'
import { createVerdictClient } from './verdictClient.ts'

const ENDPOINT = 'https://api.example.com/weather'
let service: TestService
let clock: number
beforeEach(async () => {
  clock = Date.now()
  service = await startService(() => clock)
})
afterEach(() => service.stop())

test.each([
  ['the service fails', 0],
  ['it is still fresh', 3_600_000],
])(
  'behavior: what a former pinned key has signed is given up once a newer one has signed, also where %s',
  async (_, maxAgeMs) => {
    const next = createSigningKey()
    const client = createVerdictClient({
      readJson: createServiceReader({ url: service.url, timeoutMs: 300, fetch }),
      issuer: service.url,
      maxAgeMs,
      retryAfterMs: 0,
      useCached: true,
      count: () => {},
      now: () => clock,
      thumbprints: [service.thumbprint, (await next).thumbprint],
    })
    // Who holds the former key answers for the service for a moment, until the year 2099.
    service.decisions.set(ENDPOINT, { verdict: 'safe', expiresAt: '2099-01-01T00:00:00.000Z' })
    expect(await client.get(ENDPOINT)).toMatchObject({ state: 'signed', verdict: { verdict: 'safe' } })
    await service.rotate(next)
    service.decisions.set(ENDPOINT, { verdict: 'avoid' })
    clock += 300_000
    expect(await client.get('https://api.example.com/other')).toMatchObject({ state: 'signed' })
    // From now on the former key speaks for nothing.
    if (maxAgeMs === 0) {
      service.fault = (_, response) => Boolean(response.writeHead(500).end())
      clock += 365 * 86_400_000
      expect(await client.get(ENDPOINT)).toMatchObject({ state: 'unavailable' })
    } else expect(await client.get(ENDPOINT)).toMatchObject({ verdict: { verdict: 'avoid' } })
  },
)
