import { expect, test } from 'vitest'
import type { Listing } from '../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { LIVE_DEADLINE_MS } from '../http/paidRoute.ts'
import {
  A,
  address,
  B,
  C,
  ENDPOINT,
  HOST,
  listing,
  offer,
  T0,
  termlessListing,
} from '../judge/testing/facts.ts'
import { DEADLINE_MS } from '../probe/createProber.ts'
import { readState } from '../store/endpoints.ts'
import { readEndpointFacts, readHostFacts } from '../store/facts.ts'
import { readChanges } from '../store/feeds.ts'
import { readHost, readHosts, readSummary } from '../store/hosts.ts'
import { readObservations } from '../store/observations.ts'
import { NotPublicError } from './createAuditor.ts'
import { startAuditor } from './testing/startAuditor.ts'

test('default', async () => {
  const { auditor, store, advance } = startAuditor()
  await store.write('append', [listing(T0)])
  const { state, observations } = await auditor.probe(ENDPOINT)
  expect(observations.map(({ purpose, outcome }) => [purpose, outcome])).toEqual([
    ['scheduled', 'up'],
    ['control', 'not_measured'],
  ])
  expect(state).toMatchObject({ verdict: 'safe', status: 'live', receiverStability: 'new' })
  advance(2 * HOUR)
  await auditor.probe(ENDPOINT)
  expect((await readEndpointFacts(store, ENDPOINT)).changes.map(({ kind }) => kind)).toEqual(['new_service'])
})

test('behavior: every client is drawn', async () => {
  let drawn = 0
  // Numbers as a lot would give them.
  const random = () => (drawn++ * 0.618) % 1
  const { auditor, asked, advance } = startAuditor({}, random)
  for (let probes = 0; probes < 12; probes++) {
    await auditor.probe(ENDPOINT)
    advance(HOUR)
  }
  const clients = asked.filter(({ url }) => url === ENDPOINT).map(({ client }) => client)
  expect(new Set(clients).size).toBe(3)
})

test('behavior: each scheduled probe records the gap that was drawn for it; our own downtime is no part of it', async () => {
  const { auditor, store, advance } = startAuditor()
  const first = await auditor.probe(ENDPOINT)
  const drawn = first.state.nextProbeAt - first.state.derivedAt
  expect(drawn).toBeGreaterThan(MINUTE)
  // We come two days late, and a live check is made before the probe that is due.
  advance(2 * DAY)
  const live = await auditor.probeLive(ENDPOINT)
  expect(live.state.nextProbeAt).toBe(first.state.nextProbeAt)
  await auditor.probe(ENDPOINT)
  const gaps = (await readObservations(store, ENDPOINT)).map(({ purpose, gapMs }) => [purpose, gapMs])
  expect(gaps.filter(([purpose]) => purpose !== 'live')).toEqual([
    ['scheduled', undefined],
    ['scheduled', drawn],
  ])
  expect(gaps.filter(([purpose]) => purpose === 'live').every(([, gap]) => gap === undefined)).toBe(true)
})

test('behavior: without a declared method, probes with GET and then POST, even if GET returns a page', async () => {
  const { auditor, asked, host } = startAuditor()
  host.answer = ({ method }) =>
    method === 'POST' ? {} : { outcome: 'down', cause: 'not_paid', httpStatus: 200, offers: [] }
  const { state } = await auditor.probe(ENDPOINT)
  expect(asked.slice(0, 2).map(({ method }) => method)).toEqual(['GET', 'POST'])
  expect(state).toMatchObject({ status: 'live', method: 'POST' })
})

test('behavior: looks up each receiver that a probe names, at most three', async () => {
  const { auditor, host, refreshed } = startAuditor()
  const offers = [A, B, C, address('d')].map((payTo) => offer({ payTo }))
  host.answer = () => ({ offers: [...offers, offer({ payTo: A })] })
  await auditor.probe(ENDPOINT)
  expect(new Set(refreshed)).toEqual(new Set([A, B, C]))
  expect(refreshed).toHaveLength(3)
})

test('behavior: uses the declared method, and GET and POST if that is not found', async () => {
  const { auditor, store, asked, host } = startAuditor()
  await store.write('append', [listing(T0, { method: 'PUT', url: `${ENDPOINT}?q=1` })])
  host.answer = () => ({ outcome: 'down', cause: 'not_found', httpStatus: 404, offers: [] })
  await auditor.probe(ENDPOINT)
  const url = `${ENDPOINT}?q=1`
  expect(asked.map((one) => [one.method, one.url])).toEqual(
    ['PUT', 'GET', 'POST'].map((method) => [method, url]),
  )
})

test('behavior: confirms a changed receiver within minutes, by several clients', async () => {
  const { auditor, store, host, advance, now } = startAuditor()
  await store.write('append', [termlessListing(T0)])
  for (let probes = 0; probes < 3; probes++) {
    await auditor.probe(ENDPOINT)
    advance(12 * HOUR)
  }
  host.answer = () => ({ payTo: B })
  const from = now()
  let { state } = await auditor.probe(ENDPOINT)
  expect(state).toMatchObject({ verdict: 'caution', degraded: true, payTo: address('a') })
  while (state.degraded) {
    advance(state.nextProbeAt - now())
    state = (await auditor.probe(ENDPOINT)).state
  }
  expect(now() - from).toBeLessThan(10 * MINUTE)
  expect(state).toMatchObject({ verdict: 'avoid', payTo: B, flags: ['payto_changed'] })
  const { incidents } = await readEndpointFacts(store, ENDPOINT)
  const observations = await readObservations(store, ENDPOINT)
  expect(incidents).toMatchObject([{ kind: 'receiver_hijack', status: 'open' }])
  expect(new Set(observations.slice(-5).map(({ client }) => client)).size).toBe(1)
})

test('behavior: a live check confirms a changed receiver at once', async () => {
  const { auditor, host, advance } = startAuditor()
  for (let probes = 0; probes < 3; probes++) {
    await auditor.probe(ENDPOINT)
    advance(12 * HOUR)
  }
  host.answer = () => ({ payTo: B })
  const { state, observations } = await auditor.probeLive(ENDPOINT)
  expect(observations.filter(({ purpose }) => purpose === 'live')).toHaveLength(15)
  expect(state).toMatchObject({ verdict: 'avoid', flags: ['payto_changed'] })
})

test('behavior: a live check leaves sellers and the chain less time than its caller waits', async () => {
  const { auditor, chainDeadlines, limitsAsked, now } = startAuditor()
  await auditor.probe(ENDPOINT)
  await auditor.probeLive(ENDPOINT)
  // The prober's own: a live check waits as long as the crawl.
  expect(new Set(limitsAsked)).toEqual(new Set([undefined]))
  const [, chain = 0] = chainDeadlines
  expect(chain - now()).toBeGreaterThan(DEADLINE_MS)
  expect(chain - now()).toBeLessThan(LIVE_DEADLINE_MS)
})

test('behavior: an endpoint that hangs gets less time after some probes, and the full time at every third one', async () => {
  const { auditor, host, limitsAsked, advance } = startAuditor()
  host.answer = () => ({ outcome: 'down', cause: 'timeout', httpStatus: null, offers: [] })
  for (let probes = 0; probes < 8; probes++) {
    await auditor.probe(ENDPOINT)
    advance(HOUR)
  }
  const full = undefined
  expect(limitsAsked).toEqual([full, full, full, full, 10_000, 10_000, full, 10_000])
  host.answer = () => ({ latencyMs: 25_000 })
  await auditor.probe(ENDPOINT)
  advance(HOUR)
  limitsAsked.length = 0
  const { state } = await auditor.probe(ENDPOINT)
  expect(limitsAsked[0]).toBe(full)
  expect(state.status).toBe('live')
})

test('behavior: an endpoint that always takes 25 seconds is measured', async () => {
  const { auditor, host, advance } = startAuditor()
  host.answer = ({ deadlineMs = DEADLINE_MS }) =>
    deadlineMs > 25_000
      ? { latencyMs: 25_000 }
      : { outcome: 'down', cause: 'timeout', httpStatus: null, offers: [] }
  for (let probes = 0; probes < 6; probes++) {
    expect((await auditor.probe(ENDPOINT)).state).toMatchObject({ status: 'live', verdict: 'safe' })
    advance(3 * HOUR)
  }
})

test('behavior: a free check records an unlisted endpoint with the listing that is found for it, or not at all', async () => {
  const { auditor, store, host } = startAuditor()
  const asked: unknown[] = []
  const find = (found: Listing | null) => async () => {
    asked.push(found)
    return found
  }
  host.answer = () => ({ outcome: 'down', cause: 'challenge_malformed', httpStatus: 402, offers: [] })
  await auditor.probeLive(ENDPOINT, undefined, find(listing(T0)))
  expect(asked).toEqual([])
  host.answer = () => ({ outcome: 'not_measured', cause: 'address_refused', offers: [] })
  await expect(auditor.probeLive(ENDPOINT, undefined, find(null))).rejects.toThrow(NotPublicError)
  host.answer = () => ({})
  expect((await auditor.probeLive(ENDPOINT, undefined, find(null))).state.status).toBe('live')
  expect(asked).toEqual([null])
  expect(await readObservations(store, ENDPOINT)).toEqual([])
  expect(await readState(store, ENDPOINT)).toBeUndefined()

  const { state } = await auditor.probeLive(ENDPOINT, undefined, find(listing(T0)))
  expect(state).toMatchObject({ status: 'live', verdict: 'safe', receiverStability: 'new' })
  expect((await readHost(store, HOST))?.endpoints).toHaveLength(1)
  await auditor.probeLive(ENDPOINT, undefined, find(null))
  expect(asked).toHaveLength(2)
})

test('behavior: a free check adds nothing to what a paid check of an unlisted endpoint recorded', async () => {
  const { auditor, store, advance } = startAuditor()
  await auditor.probeLive(ENDPOINT)
  const before = await readObservations(store, ENDPOINT)
  expect(before).not.toEqual([])
  advance(HOUR)
  await auditor.probeLive(ENDPOINT, undefined, async () => null)
  expect(await readObservations(store, ENDPOINT)).toEqual(before)
})

test('rule 10: an endpoint that only a paid check named is in no list and no feed until it is listed', async () => {
  const { auditor, store } = startAuditor()
  await auditor.probeLive(ENDPOINT)
  expect((await readState(store, ENDPOINT))?.state).toMatchObject({ status: 'live', listedBy: [] })
  const shown = async () => [
    await readHost(store, HOST),
    await readSummary(store, HOST),
    ...(await readHosts(store, { order: 'best', limit: 9 }, T0)),
    ...(await readChanges(store, { since: 0, limit: 9 })).records,
    ...(await store.totals(T0)).endpoints,
  ]
  expect(await shown()).toEqual([undefined, undefined])
  await store.write('append', [listing(T0)])
  await auditor.probe(ENDPOINT)
  expect(await shown()).not.toContain(undefined)
  expect(await shown()).toContain(HOST)
})

const STOP = `https://${HOST}/STOP-this-seller-stole-my-USDC`

test.each(['not_paid', 'not_found', 'timeout', 'input_needed', 'http_error'] as const)(
  'rule 10: a live check of a path that never asked for payment leaves no trace: %s',
  async (cause) => {
    const { auditor, store, host } = startAuditor()
    await store.write('append', [listing(T0)])
    await auditor.probe(ENDPOINT)
    const before = await readHost(store, HOST)
    const answers = cause !== 'timeout'
    host.answer = () => ({ outcome: 'down', cause, httpStatus: answers ? 404 : null, offers: [] })
    for (let checks = 0; checks < 3; checks++) {
      const { state, observations } = await auditor.probeLive(STOP)
      expect(observations[0]).toMatchObject({ cause })
      expect(state.endpoint).toBe(STOP)
    }
    expect(await readObservations(store, STOP)).toEqual([])
    expect(await readHost(store, HOST)).toEqual(before)
    expect((await store.totals(T0 + HOUR)).endpoints).toMatchObject([{ count: 1 }])
  },
)

test('abuse of rule 10: a host that asks for payment at any path gets no record of what visitors type', async () => {
  const { auditor, store, host } = startAuditor()
  host.control = () => ({})
  await store.write('append', [listing(T0)])
  await auditor.probeLive(ENDPOINT)
  const { state } = await auditor.probeLive(STOP)
  expect(state.status).toBe('live')
  expect(await readObservations(store, STOP)).toEqual([])
  expect((await readHost(store, HOST))?.endpoints.map(({ endpoint }) => endpoint)).toEqual([ENDPOINT])
})

test.each([
  ['a host that declines probes', { '/robots.txt': 'User-agent: *\nDisallow: /' }, 'opted_out'],
  ['a name that does not resolve', {}, 'dns_failed'],
] as const)(
  'behavior: a live check records nothing about %s unless it is listed',
  async (_, documents, cause) => {
    const { auditor, store, host } = startAuditor(documents)
    host.answer = () => ({ outcome: 'not_measured', cause, offers: [] })
    const { state, observations } = await auditor.probeLive(ENDPOINT)
    expect(observations[0]).toMatchObject({ outcome: 'not_measured', cause })
    expect(state).toMatchObject({ status: 'unmeasured', verdict: 'unknown' })
    expect(await readObservations(store, ENDPOINT)).toEqual([])
    expect((await readHostFacts(store, HOST)).control).toBeUndefined()
    expect(await readHost(store, HOST)).toBeUndefined()
    await store.write('append', [listing(T0)])
    await auditor.probeLive(ENDPOINT)
    expect(await readObservations(store, ENDPOINT)).not.toEqual([])
    expect((await readHost(store, HOST))?.endpoints).toHaveLength(1)
  },
)

test('behavior: recognises random receivers at the second probe', async () => {
  const { auditor, host, advance } = startAuditor()
  let requests = 0
  host.answer = () => ({ payTo: address(`${++requests % 10}`) })
  await auditor.probe(ENDPOINT)
  advance(2 * HOUR)
  const { state, observations } = await auditor.probe(ENDPOINT)
  expect(observations).toHaveLength(2)
  expect(state).toMatchObject({ verdict: 'caution', flags: ['payto_rotates'], degraded: false })
})

test('behavior: does not probe a host that declines, which is unknown after 48 h', async () => {
  const { auditor, asked, advance } = startAuditor({ '/robots.txt': 'User-agent: touchstone\nDisallow: /' })
  const { state, observations } = await auditor.probe(ENDPOINT)
  expect(observations).toMatchObject([{ outcome: 'not_measured', cause: 'opted_out' }])
  expect(state).toMatchObject({ status: 'unmeasured', verdict: 'unknown', score: null })
  advance(HOUR)
  await auditor.probeLive(ENDPOINT)
  expect(asked).toEqual([])
})

test('behavior: a verdict expires 48 h after its host declines probes', async () => {
  const documents: Record<string, string> = {}
  const { auditor, advance } = startAuditor(documents)
  await auditor.probe(ENDPOINT)
  documents['/.well-known/x402'] = '{"probes":false}'
  advance(DAY)
  expect((await auditor.probe(ENDPOINT)).state.verdict).toBe('safe')
  advance(DAY)
  expect((await auditor.probe(ENDPOINT)).state.verdict).toBe('unknown')
})
