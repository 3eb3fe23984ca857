import { OPERATIONS, ProfileSchema, VerdictSchema } from '@touchstone402/shared'
import { describe, expect, test } from 'vitest'
import type { EndpointState, HostDocument } from '../facts/hostDocument.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { writeCatalog } from '../http/answers/writeDatasets.ts'
import {
  down,
  HOST,
  judge,
  listing,
  offer,
  POLYGON,
  POLYGON_USDC,
  SEPOLIA,
  SEPOLIA_USDC,
  series,
  T0,
  unmeasured,
  up,
} from '../judge/testing/facts.ts'
import { systemClock } from '../lib/clock.ts'
import { createReadModel } from '../readModel/createReadModel.ts'
import { readTally } from '../readModel/readTally.ts'
import { putHosts } from '../readModel/testing/putHosts.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { describeStatus } from './catalog.ts'
import { describeProfile, judgeHost } from './profile.ts'
import { currentVerdict, describeVerdict, standsUntil, toDecision } from './verdict.ts'

const NOW = T0 + 25 * HOUR
const stable = judge(series(T0, 3, 12 * HOUR), { listings: [listing(T0, { category: 'weather' })] }).state
const named = (state: EndpointState, path: string, changes: Partial<EndpointState> = {}): EndpointState => ({
  ...state,
  endpoint: `https://${HOST}${path}`,
  ...changes,
})
const dead = judge([up(T0), ...[1, 2, 3].map((hour) => down(T0 + hour * HOUR))]).state
const testnet = judge(
  series(T0, 3, 12 * HOUR, (at) => up(at, { offers: [offer({ network: SEPOLIA, asset: SEPOLIA_USDC })] })),
).state
/** It asks to pay the token itself. */
const unsafe = judge(
  series(T0, 3, 12 * HOUR, (at) =>
    up(at, { offers: [offer({ network: POLYGON, asset: POLYGON_USDC, payTo: POLYGON_USDC })] }),
  ),
).state
const unseen = judge([unmeasured(T0)]).state
/** Describes a host as it is, with unlisted endpoints. */
const profileAsIs = (...endpoints: EndpointState[]) =>
  describeProfile({ host: HOST, endpoints, updatedAt: NOW }, NOW)
const profileOf = (...endpoints: EndpointState[]) =>
  profileAsIs(...endpoints.map((state) => ({ ...state, listedBy: ['host'] })))

describe('describeProfile', () => {
  test('default', () => {
    const profile = profileOf(stable, named(stable, '/b', { priceUsd: 0.05, score: 71 }), named(dead, '/c'))
    expect(ProfileSchema.parse(profile)).toEqual(profile)
    expect(profile).toMatchObject({
      host: HOST,
      verdict: 'safe',
      label: 'Safe to pay',
      trustScore: 81,
      liveness: '2/3',
      pricePerCall: '$0.01-$0.05',
      network: 'Base',
      receiver: null,
      receiverStability: 'stable',
      riskLevel: 'clean',
      flags: [],
      listedBy: ['host'],
      firstSeen: '2026-06-01',
      lastChecked: '2026-06-02',
    })
    expect(profile.notice).toContain('/trust')
  })

  test('behavior: a host has the worst verdict of its live endpoints', () => {
    expect(profileOf(stable, named(unsafe, '/t'))).toMatchObject({
      verdict: 'avoid',
      riskLevel: 'high',
      network: 'Base, Polygon',
    })
    expect(profileOf(stable, named(dead, '/d')).verdict).toBe('safe')
  })

  test('rule 10: a submitted path counts for its endpoint, not for its host, until it is listed', () => {
    const submitted = { ...named(unsafe, '/STOP-this-seller-stole'), listedBy: [] }
    const honest = profileOf(stable)
    expect(profileAsIs(stable, submitted)).toEqual(honest)
    expect(currentVerdict(submitted, NOW)).toMatchObject({ verdict: 'avoid', riskLevel: 'high' })
    expect(profileAsIs(stable, { ...submitted, listedBy: ['host'] })).toMatchObject({ verdict: 'avoid' })
    // Neither does a good submitted path clear a host.
    expect(profileAsIs({ ...dead, listedBy: ['host'] }, named(stable, '/good', { listedBy: [] }))).toEqual(
      profileAsIs({ ...dead, listedBy: ['host'] }),
    )
  })

  test('rule 10: nothing is said of a host of which visitors alone named endpoints', () => {
    for (const state of [stable, testnet, dead]) {
      const unknown = { verdict: 'unknown', trustScore: null, darkSince: null }
      expect(judgeHost([{ ...state, listedBy: [] }], NOW)).toEqual(unknown)
    }
  })

  test('behavior: avoid at 0 without a live endpoint, unknown without a measurement', () => {
    expect(profileOf(dead)).toMatchObject({ verdict: 'avoid', trustScore: 0, liveness: '0/1' })
    expect(profileOf(unseen)).toMatchObject({
      verdict: 'unknown',
      label: 'Unknown',
      trustScore: null,
      riskLevel: 'unknown',
      darkSince: null,
    })
    expect(profileOf(unseen, named(dead, '/d'))).toMatchObject({ verdict: 'avoid', trustScore: 0 })
  })

  test('behavior: is dark since the first failed probe, until a recovery is confirmed', () => {
    const darkSince = new Date(T0 + HOUR).toISOString()
    expect(profileOf(dead)).toMatchObject({ darkSince, endpoints: [{ status: 'dark', darkSince }] })
    const downs = [1, 2, 3].map((hour) => down(T0 + hour * HOUR))
    const ups = [4, 5].map((hour) => up(T0 + hour * HOUR))
    expect(profileOf(judge([up(T0), ...downs, ...ups.slice(1)]).state)).toMatchObject({ darkSince })
    expect(profileOf(judge([up(T0), ...downs, ...ups]).state).darkSince).toBeNull()
  })

  test('behavior: states uptime from 3 probes on', () => {
    expect(profileOf(judge([up(T0)]).state).uptime).toBe('too few to state (1 probe)')
    expect(profileOf(judge(series(T0, 2, HOUR)).state).uptime).toBe('too few to state (2 probes)')
    expect(profileOf(stable).uptime).toBe('100% of 3 of our probes')
    expect(profileOf(unseen).uptime).toBe('too few to state (0 probes)')
  })

  test('behavior: a state expires after 48 h: unknown and unmeasured', () => {
    const profile = describeProfile({ host: HOST, endpoints: [stable], updatedAt: NOW }, NOW + 2 * DAY)
    expect(profile).toMatchObject({ verdict: 'unknown', trustScore: null, liveness: '0/1' })
    expect(profile.endpoints[0]).toMatchObject({ status: 'unmeasured', verdict: 'unknown', trust: null })
  })
})

describe('describeVerdict', () => {
  const context = { publicUrl: 'https://t.example', liveCheckPriceUsd: 0.005, now: NOW }
  const describe_ = (state: EndpointState, now = NOW) =>
    describeVerdict(state, 'exact', state.endpoint, { ...context, now })

  test('default', () => {
    const verdict = describe_(stable)
    expect(VerdictSchema.parse(verdict)).toEqual(verdict)
    expect(verdict).toMatchObject({ verdict: 'safe', status: 'live', live: true, probes: 3, uptimePct: 100 })
    expect(verdict.expiresAt).toBe(new Date(T0 + 72 * HOUR).toISOString())
    expect(verdict.escalation.recommended).toBe(false)
  })

  test('behavior: an expired verdict has no score, band or liveness, and its decision is short-lived', () => {
    const now = T0 + 72 * HOUR
    const verdict = describe_(stable, now)
    expect(verdict).toMatchObject({
      verdict: 'unknown',
      status: 'unmeasured',
      escalation: { recommended: true },
    })
    expect(verdict).not.toHaveProperty('score')
    expect(verdict).not.toHaveProperty('band')
    expect(verdict).not.toHaveProperty('live')
    expect(Date.parse(toDecision(verdict, 1, context.publicUrl, now).expiresAt)).toBe(now + HOUR / 6)
    expect(currentVerdict(stable, now - 1).verdict).toBe('safe')
  })

  test('behavior: apart from its age, an answer changes exactly when standsUntil says', () => {
    const standing = (state: EndpointState, now: number) => {
      const { ts: _ts, cacheAgeHours: _age, ...rest } = describe_(state, now)
      return rest
    }
    const turns: number[] = []
    for (let now = NOW; ; ) {
      const until = standsUntil(stable, now)
      if (until === Number.POSITIVE_INFINITY) break
      expect(standing(stable, until - 1)).toEqual(standing(stable, now))
      expect(standing(stable, until)).not.toEqual(standing(stable, now))
      turns.push(until)
      now = until
    }
    // A live check is recommended a day after the last probe; the verdict expires after 48 hours.
    expect(turns).toEqual([T0 + 48 * HOUR + 1, T0 + 72 * HOUR])
    expect(standing(stable, T0 + 999 * HOUR)).toEqual(standing(stable, T0 + 72 * HOUR))
    expect(standsUntil(unseen, NOW)).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('score 1.3.0, rule 17: sandboxes', () => {
  const sandbox = named(testnet, '/sandbox')

  test('default: an endpoint on a test network does not count for a host that has others', () => {
    expect(profileOf(stable, sandbox)).toMatchObject({ verdict: 'safe', riskLevel: 'clean', liveness: '2/2' })
  })

  test('behavior: alone it is the host, and beside a dark one it keeps nothing alive', () => {
    expect(profileOf(sandbox)).toMatchObject({ verdict: 'avoid', flags: ['network_testnet'] })
    expect(profileOf(dead, sandbox)).toMatchObject({ verdict: 'avoid', trustScore: 0 })
  })
})

describe('describeCatalog', () => {
  const host = (name: string, endpoint: EndpointState) => ({
    host: name,
    updatedAt: NOW,
    endpoints: [{ ...endpoint, host: name, endpoint: `https://${name}/a`, listedBy: ['host'] }],
  })
  const hosts = [
    host('a.example', { ...stable, score: 80 }),
    host('b.example', stable),
    host('c.example', dead),
    host('d.example', testnet),
    host('e.example', unseen),
  ]

  const open = async (...documents: HostDocument[]) => {
    const store = createMemoryStore()
    await putHosts(store, ...documents)
    return store
  }

  test('default', async () => {
    let text = ''
    for await (const chunk of writeCatalog({
      store: await open(...hosts),
      clock: { ...systemClock, now: () => NOW },
    }))
      text += chunk
    const { services, riskMap } = OPERATIONS.trust.response[1].parse(JSON.parse(text))
    expect(services.map(({ host: name }) => name)).toEqual(['b.example', 'a.example'])
    expect(riskMap.byVerdict).toEqual({ safe: 2, avoid: 2, unknown: 1 })
    expect(riskMap.byLevel).toMatchObject({ clean: 2, unknown: 1 })
    expect(riskMap.byFlag).toEqual({ network_testnet: 1, flaky: 1 })
  })

  test('behavior: counts each endpoint of the ecosystem once', async () => {
    const status = describeStatus(await readTally(await open(...hosts), NOW))
    expect(status.ecosystem).toEqual({ tracked: 5, live: 3, dead: 1, invalid: 0, unmeasured: 1, deadPct: 20 })
    expect(status.catalogAudit).toEqual([
      { directory: 'host', listed: 5, claimedHealthy: 5, working: 3, accuracyPct: 75 },
    ])
    expect(status.topHealthy.map(({ endpoint }) => endpoint)).toEqual([
      'https://b.example/a',
      'https://a.example/a',
    ])
  })

  test('behavior: score 1.3.0, rule 15: each bought domain counts once, after 30 days, for the usual price', async () => {
    const known = { ...stable, firstSeen: NOW - 31 * DAY }
    const others = Array.from({ length: 20 }, (_, index) =>
      host(`${index}.example`, { ...known, category: `c${index % 5}`, priceUsd: 0.05 }),
    )
    const own = ['a', 'b'].map((name) =>
      host(`${name}.weather.example`, { ...known, category: 'weather', priceUsd: 0.01 }),
    )
    // The abuse: names of one's own, on a platform or just made, that hide a dear price.
    const dear = { ...known, category: 'weather', priceUsd: 9 }
    const tenants = Array.from({ length: 9 }, (_, index) => host(`rival-${index}.vercel.app`, dear))
    const young = Array.from({ length: 9 }, (_, index) =>
      host(`young-${index}.test`, { ...dear, firstSeen: NOW - DAY }),
    )
    const all = [
      ...others,
      ...own,
      ...tenants,
      ...young,
      host('c.rain.test', { ...known, category: 'weather', priceUsd: 0.02 }),
    ]
    const { categoryPrice } = await createReadModel(await open(...all), { now: () => NOW })
    expect(await categoryPrice('c1')).toEqual({ medianUsd: 0.05, count: 4 })
    expect(await categoryPrice(null)).toEqual({ medianUsd: 0.05, count: 23, isWhole: true })
  })
})
