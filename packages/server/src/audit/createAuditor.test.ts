import { describe, expect, test } from 'vitest'
import { foldDays } from '../domain/facts/dailyMeasurements.ts'
import type { Observation } from '../domain/facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../domain/facts/times.ts'
import {
  A,
  address,
  B,
  C,
  ENDPOINT,
  HOST,
  judge,
  listing,
  offer,
  record,
  series,
  T0,
  up,
} from '../domain/testing/facts.ts'
import type { ProbeResult, ProbeTarget } from '../ports/prober.ts'
import type { Store } from '../ports/store.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { createAuditor, NotPublicError, NotSoldError } from './createAuditor.ts'
import { createHostLeases } from './hostLeases.ts'
import { createAnnouncementReader } from './readAnnouncement.ts'
import { createOptOutReader } from './readOptOut.ts'
import { recomputeHost } from './recompute.ts'

const CLIENTS = ['touchstone', 'agent', 'library']

const looksOf = async (store: Store) => {
  const looks: Observation[] = []
  for (const look of await store.looks(ENDPOINT)) looks.push(look)
  return looks
}

/** Creates the result of a successful probe. */
type Answer = (target: ProbeTarget, client: string) => Partial<ProbeResult> & { payTo?: string }

/** Creates an auditor with a memory store, a manual clock and a scripted prober. */
async function start(documents: Record<string, string> = {}) {
  let now = T0
  let ids = 0
  const asked: { url: string; method: string; client: string }[] = []
  const refreshed: string[] = []
  const chainDeadlines: (number | undefined)[] = []
  const probeLimits = new Set<number | undefined>()
  const host = { answer: ((): Partial<ProbeResult> => ({})) as Answer }
  const clock = { now: () => now, sleep: async () => {}, hold: () => () => {} }
  const newId = (prefix: string) => `${prefix}_${++ids}`
  const store = createMemoryStore()
  const prober = {
    clients: CLIENTS.length,
    async probe(target: ProbeTarget): Promise<ProbeResult> {
      const client = CLIENTS[target.client] ?? ''
      asked.push({ url: target.url, method: target.method, client })
      probeLimits.add(target.deadlineMs)
      if (target.url.includes('no-such-path'))
        return result({ outcome: 'not_measured', cause: 'input_needed', httpStatus: 404, offers: [], client })
      return result({ method: target.method, client, ...host.answer(target, client) })
    },
    document: async (url: string) => documents[new URL(url).pathname] ?? null,
    close: async () => {},
  }
  const auditor = createAuditor({
    store,
    hostLeases: createHostLeases({ leases: store.leases, clock }),
    prober,
    categoryPrice: async () => undefined,
    profiler: {
      refresh: async (_network, payTo, options) => {
        refreshed.push(payTo)
        chainDeadlines.push(options?.deadlineAt)
        await store.append([record(now, { id: newId('rcv'), address: payTo })])
      },
    },
    announcements: createAnnouncementReader({ prober, source: null, clock, newId }),
    optOut: createOptOutReader({ prober, clock }),
    clock,
    random: () => 0.5,
    newId,
  })
  const advance = (ms: number) => {
    now += ms
  }
  return { auditor, store, asked, refreshed, chainDeadlines, probeLimits, host, advance, now: () => now }
}

function result(changes: ReturnType<Answer>): ProbeResult {
  const {
    kind: _kind,
    id: _id,
    at: _at,
    endpoint: _endpoint,
    host: _host,
    purpose: _purpose,
    ...rest
  } = up(T0, changes)
  return rest
}

describe('createAuditor', () => {
  test('default', async () => {
    const { auditor, store, advance } = await start()
    const { state, observations } = await auditor.look(ENDPOINT)
    expect(observations.map(({ purpose, outcome }) => [purpose, outcome])).toEqual([
      ['scheduled', 'up'],
      ['control', 'not_measured'],
    ])
    expect(state).toMatchObject({ verdict: 'safe', status: 'live', receiverStability: 'new' })
    advance(2 * HOUR)
    await auditor.look(ENDPOINT)
    expect((await store.endpointFacts(ENDPOINT)).changes.map(({ kind }) => kind)).toEqual(['new_service'])
  })

  test('behavior: every client takes its turn', async () => {
    const { auditor, asked, advance } = await start()
    for (let looks = 0; looks < 6; looks++) {
      await auditor.look(ENDPOINT)
      advance(HOUR)
    }
    const clients = asked.filter(({ url }) => url === ENDPOINT).map(({ client }) => client)
    expect(new Set(clients.slice(0, 3)).size).toBe(3)
    expect(clients.slice(3)).toEqual(clients.slice(0, 3))
  })

  test('behavior: without a declared method, probes with GET and then POST, even if GET returns a page', async () => {
    const { auditor, asked, host } = await start()
    host.answer = ({ method }) =>
      method === 'POST' ? {} : { outcome: 'down', cause: 'not_paid', httpStatus: 200, offers: [] }
    const { state } = await auditor.look(ENDPOINT)
    expect(asked.slice(0, 2).map(({ method }) => method)).toEqual(['GET', 'POST'])
    expect(state).toMatchObject({ status: 'live', method: 'POST' })
  })

  test('behavior: looks up each receiver that a probe names, at most three', async () => {
    const { auditor, host, refreshed } = await start()
    const offers = [A, B, C, address('d')].map((payTo) => offer({ payTo }))
    host.answer = () => ({ offers: [...offers, offer({ payTo: A })] })
    await auditor.look(ENDPOINT)
    expect(new Set(refreshed)).toEqual(new Set([A, B, C]))
    expect(refreshed).toHaveLength(3)
  })

  test('behavior: uses only the declared method', async () => {
    const { auditor, store, asked, host } = await start()
    await store.append([listing(T0, { method: 'PUT', url: `${ENDPOINT}?q=1` })])
    host.answer = () => ({ outcome: 'down', cause: 'not_found', httpStatus: 404, offers: [] })
    await auditor.look(ENDPOINT)
    expect(asked).toEqual([{ url: `${ENDPOINT}?q=1`, method: 'PUT', client: expect.any(String) }])
  })

  test('behavior: confirms a changed receiver within minutes, by several clients', async () => {
    const { auditor, store, host, advance, now } = await start()
    for (let looks = 0; looks < 3; looks++) {
      await auditor.look(ENDPOINT)
      advance(12 * HOUR)
    }
    host.answer = () => ({ payTo: B })
    const from = now()
    let { state } = await auditor.look(ENDPOINT)
    expect(state).toMatchObject({ verdict: 'caution', degraded: true, payTo: address('a') })
    while (state.degraded) {
      advance(state.nextProbeAt - now())
      state = (await auditor.look(ENDPOINT)).state
    }
    expect(now() - from).toBeLessThan(10 * MINUTE)
    expect(state).toMatchObject({ verdict: 'avoid', payTo: B, flags: ['payto_changed'] })
    const { incidents } = await store.endpointFacts(ENDPOINT)
    const observations = await looksOf(store)
    expect(incidents).toMatchObject([{ kind: 'receiver_hijack', status: 'open' }])
    expect(new Set(observations.slice(-5).map(({ client }) => client)).size).toBe(1)
  })

  test('behavior: a live check confirms a changed receiver at once', async () => {
    const { auditor, host, advance } = await start()
    for (let looks = 0; looks < 3; looks++) {
      await auditor.look(ENDPOINT)
      advance(12 * HOUR)
    }
    host.answer = () => ({ payTo: B })
    const { state, observations } = await auditor.lookLive(ENDPOINT)
    expect(observations.filter(({ purpose }) => purpose === 'live')).toHaveLength(15)
    expect(state).toMatchObject({ verdict: 'avoid', flags: ['payto_changed'] })
  })

  test('behavior: a live check leaves sellers and the chain less time than its caller waits', async () => {
    const { auditor, chainDeadlines, probeLimits, now } = await start()
    await auditor.look(ENDPOINT)
    expect([...probeLimits]).toEqual([undefined])
    probeLimits.clear()
    await auditor.lookLive(ENDPOINT)
    expect([...probeLimits]).toEqual([5000])
    expect(chainDeadlines).toEqual([undefined, now() + 7000])
  })

  test('behavior: a submitted endpoint is recorded if it asks for payment, and not otherwise', async () => {
    const { auditor, store, host } = await start()
    const causes = ['not_paid', 'not_found', 'timeout', 'input_needed', 'challenge_malformed'] as const
    for (const cause of causes) {
      host.answer = () => ({ outcome: 'down', cause, httpStatus: 200, offers: [] })
      const look = auditor.lookSubmitted(ENDPOINT)
      await expect(look).rejects.toThrow(NotSoldError)
      await expect(look).rejects.toMatchObject({ reason: cause, httpStatus: 200 })
    }
    host.answer = () => ({ outcome: 'not_measured', cause: 'address_refused', offers: [] })
    await expect(auditor.lookSubmitted(ENDPOINT)).rejects.toThrow(NotPublicError)
    expect(await looksOf(store)).toEqual([])
    expect(await store.host(HOST)).toBeUndefined()

    host.answer = () => ({})
    const { state } = await auditor.lookSubmitted(ENDPOINT)
    expect(state).toMatchObject({ status: 'live', verdict: 'safe', receiverStability: 'new' })
    expect((await store.host(HOST))?.endpoints).toHaveLength(1)
  })

  test.each([
    ['a host that declines probes', { '/robots.txt': 'User-agent: *\nDisallow: /' }, 'opted_out'],
    ['a name that does not resolve', {}, 'dns_failed'],
  ] as const)(
    'behavior: a live check records nothing about %s unless it is listed',
    async (_, documents, cause) => {
      const { auditor, store, host } = await start(documents)
      host.answer = () => ({ outcome: 'not_measured', cause, offers: [] })
      const { state, observations } = await auditor.lookLive(ENDPOINT)
      expect(observations[0]).toMatchObject({ outcome: 'not_measured', cause })
      expect(state).toMatchObject({ status: 'unmeasured', verdict: 'unknown' })
      expect(await looksOf(store)).toEqual([])
      expect((await store.hostFacts(HOST)).control).toBeUndefined()
      expect(await store.host(HOST)).toBeUndefined()
      await store.append([listing(T0)])
      await auditor.lookLive(ENDPOINT)
      expect(await looksOf(store)).not.toEqual([])
      expect((await store.host(HOST))?.endpoints).toHaveLength(1)
    },
  )

  test('behavior: recognises random receivers at the second probe', async () => {
    const { auditor, host, advance } = await start()
    let requests = 0
    host.answer = () => ({ payTo: address(`${++requests % 10}`) })
    await auditor.look(ENDPOINT)
    advance(2 * HOUR)
    const { state, observations } = await auditor.look(ENDPOINT)
    expect(observations).toHaveLength(2)
    expect(state).toMatchObject({ verdict: 'caution', flags: ['payto_rotates'], degraded: false })
  })

  test('behavior: does not probe a host that declines, which is unknown after 48 h', async () => {
    const { auditor, asked, advance } = await start({ '/robots.txt': 'User-agent: touchstone\nDisallow: /' })
    const { state, observations } = await auditor.look(ENDPOINT)
    expect(observations).toMatchObject([{ outcome: 'not_measured', cause: 'opted_out' }])
    expect(state).toMatchObject({ status: 'unmeasured', verdict: 'unknown', score: null })
    advance(HOUR)
    await auditor.lookLive(ENDPOINT)
    expect(asked).toEqual([])
  })

  test('behavior: a verdict expires 48 h after its host declines probes', async () => {
    const documents: Record<string, string> = {}
    const { auditor, advance } = await start(documents)
    await auditor.look(ENDPOINT)
    documents['/.well-known/x402'] = '{"probes":false}'
    advance(DAY)
    expect((await auditor.look(ENDPOINT)).state.verdict).toBe('safe')
    advance(DAY)
    expect((await auditor.look(ENDPOINT)).state.verdict).toBe('unknown')
  })
})

describe('recomputeHost', () => {
  async function audited() {
    const parts = await start()
    for (let looks = 0; looks < 6; looks++) {
      if (looks === 4) parts.host.answer = () => ({ payTo: B })
      await parts.auditor.look(ENDPOINT)
      parts.advance(5 * HOUR)
    }
    await parts.store.append([listing(T0, { id: 'l2', category: 'weather' })])
    await parts.auditor.judge(ENDPOINT)
    return parts
  }

  test('default', async () => {
    const { store, advance } = await audited()
    expect(await recomputeHost(store, HOST)).toMatchObject([
      { endpoint: ENDPOINT, isEqual: true, differences: [] },
    ])
    // Later records do not change earlier judgements.
    advance(HOUR)
    await store.append([up(T0 + 40 * HOUR, { payTo: address('c') })])
    expect(await recomputeHost(store, HOST)).toMatchObject([{ isEqual: true }])
  })

  test('behavior: reproduces a judgement that reads a part of all probes only', async () => {
    const { store, auditor, advance } = await start()
    const old = series(T0 - 120 * DAY, 500, 4 * HOUR, (at, client) =>
      up(at, { client, payTo: at < T0 - 50 * DAY ? B : A, amount: at < T0 - 80 * DAY ? '9000' : '10000' }),
    )
    const { state, changes } = judge(old)
    const published = changes.map((change) => ({ kind: 'change' as const, id: change.id, at: T0, change }))
    await store.putEndpoint(state, { facts: [...old, ...published], days: foldDays(old) })
    for (let looks = 0; looks < 3; looks++) {
      await auditor.look(ENDPOINT)
      expect(await recomputeHost(store, HOST)).toMatchObject([{ isEqual: true, differences: [] }])
      advance(20 * DAY)
    }
    const { state: last } = (await store.endpoint(ENDPOINT)) ?? {}
    expect(last?.payToHistory.map(({ payTo }) => payTo)).toEqual([B, A])
    expect(last?.priceHistory.map(({ amountAtomic }) => amountAtomic)).toEqual(['9000', '10000'])
  })

  test('behavior: lists the fields that were altered', async () => {
    const { store } = await audited()
    const document = await store.endpoint(ENDPOINT)
    if (document === undefined) throw new Error('a document')
    await store.putEndpoint({ ...document.state, score: 12, flags: [], verdict: 'safe', priceUsd: 7 })
    const [recomputed] = (await recomputeHost(store, HOST)) ?? []
    expect(recomputed?.isEqual).toBe(false)
    expect(recomputed?.differences).toContainEqual({ field: 'priceUsd', stored: 7, recomputed: 0.01 })
    expect(recomputed?.differences.map(({ field }) => field)).toContain('score')
  })

  test('behavior: returns undefined for an unknown host', async () => {
    expect(await recomputeHost(createMemoryStore(), 'nowhere.example')).toBeUndefined()
  })
})
