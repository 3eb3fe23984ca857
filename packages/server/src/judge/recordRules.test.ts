import { describe, expect, test } from 'vitest'
import type { Purchase } from '../facts/facts.ts'
import type { Accusation } from '../facts/hostDocument.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import {
  A,
  B,
  BASE,
  C,
  confirmed,
  down,
  ENDPOINT,
  HOST,
  judge,
  listing,
  offer,
  POLYGON,
  record,
  series,
  T0,
  USDC,
  unmeasured,
  up,
} from './testing/facts.ts'
import { flagsOf, messageOf, polygon, proofOf, steady } from './testing/rules.ts'
import { swapAt, swapped } from './testing/swap.ts'

describe('score 1.2.0, rules 7 and 8: no seller speaks for another', () => {
  const foreign = {
    ownClaim: false,
    claims: { ...listing(T0).claims, payTo: B, amountAtomic: '1', priceUsd: 0.000001 },
  }

  test("default: a rival's listing raises at most price_drift", () => {
    const rival = listing(T0 + DAY, {
      ...foreign,
      claimedAt: T0 + 2 * DAY,
      method: 'DELETE',
      body: '{"a":1}',
    })
    const { state, incidents } = judge(steady(offer()), { listings: [rival] })
    expect(state).toMatchObject({ verdict: 'safe', flags: ['price_drift'] })
    expect(incidents).toEqual([])
  })

  test("behavior: a receiver that differs from the seller's own document is Caution", () => {
    const own = listing(T0, { claims: { ...listing(T0).claims, payTo: B } })
    const { state } = judge(steady(offer()), { listings: [own] })
    expect(state).toMatchObject({ verdict: 'caution', flags: ['receiver_differs_from_listing'] })
    expect(messageOf(state, 'receiver_differs_from_listing')).toContain(`own document names ${B}`)
    const onPolygon = listing(T0, { claims: { ...listing(T0).claims, network: POLYGON, payTo: B } })
    expect(flagsOf(steady(offer()), { listings: [onPolygon] })).toEqual([])
  })

  test('behavior: the comparison is chosen by the host, or by directories that agree', () => {
    const dear = offer({ amountAtomic: '500000' })
    const categoryPrice = (category: string | null) =>
      category === 'weather' ? { medianUsd: 0.01, count: 9 } : { medianUsd: 0.01, count: 90, isWhole: true }
    const listed = (changes: object) =>
      listing(T0, { ...foreign, claims: { ...foreign.claims, payTo: A }, ...changes })
    const isHigh = (...listings: ReturnType<typeof listing>[]) =>
      flagsOf(steady(dear), { listings, categoryPrice }).includes('price_high')
    const rival = listed({ directory: 'rival', category: 'weather' })
    expect(isHigh(rival, listed({ directory: 'bazaar', category: 'research' }))).toBe(false)
    expect(isHigh(rival, listed({ directory: 'host', ownClaim: true, category: 'research' }))).toBe(false)
    expect(isHigh(rival, listed({ directory: 'bazaar', category: 'weather' }))).toBe(true)
  })

  test('behavior: bait needs an own claim', () => {
    const claims = { ...listing(T0).claims, amountAtomic: '1000', priceUsd: 0.001 }
    const own = [T0, T0 + DAY, T0 + 2 * DAY].map((time) => listing(time, { claimedAt: time, claims }))
    expect(judge(steady(offer()), { listings: own }).incidents).toMatchObject([{ kind: 'bait_and_switch' }])
    expect(
      judge(steady(offer()), { listings: own.map((one) => ({ ...one, ownClaim: false })) }).incidents,
    ).toEqual([])
  })
})

describe('score 1.2.0, rule 11: a record sticks to receiver and host', () => {
  const other = 'https://api.example/other'
  const elsewhere = 'https://rival.test/x'
  const accusation = (changes: Partial<Accusation> = {}): Accusation => ({
    incident: 'inc_1',
    kind: 'honeypot',
    host: HOST,
    endpoint: other,
    detectedAt: T0 - DAY,
    network: BASE,
    payTo: A,
    namedAt: T0 - 2 * DAY,
    isPaid: true,
    ...changes,
  })
  const away = { host: 'rival.test', endpoint: elsewhere }
  const isOlder = { recordsOf: () => [record(T0, { firstReceiptAt: T0 - 90 * DAY })] }
  const isNew = { recordsOf: () => [record(T0, { firstReceiptAt: T0 - DAY })] }

  test('default: a new path with the receiver of an open incident is Avoid, and links to it', () => {
    const { state } = judge(steady(offer()), { accusations: [accusation()] })
    expect(state).toMatchObject({ verdict: 'avoid', riskLevel: 'high', flags: ['receiver_flagged'] })
    expect(state.accusations).toEqual([accusation()])
    const reason = state.reasons.find(({ code }) => code === 'receiver_flagged')
    expect(reason?.evidence[0]).toBe('inc_1')
    expect(reason?.message).toContain('incident inc_1 (honeypot')
  })

  test('behavior: so is another name of the domain, and another host whose receiver was not paid before', () => {
    const name = accusation({ host: 'old.api.example', endpoint: 'https://old.api.example/a' })
    expect(judge(steady(offer()), { accusations: [name], ...isOlder }).state.verdict).toBe('avoid')
    expect(judge(steady(offer()), { accusations: [accusation(away)], ...isNew }).state).toMatchObject({
      verdict: 'avoid',
      flags: ['receiver_flagged'],
    })
  })

  test("abuse: a thief who moves to a rival's receiver, or takes money for it, does not sink the rival", () => {
    const { state } = judge(steady(offer()), { accusations: [accusation(away)], ...isOlder })
    expect(state).toMatchObject({ verdict: 'caution', flags: ['receiver_accused_elsewhere'] })
    expect(messageOf(state, 'receiver_accused_elsewhere')).toContain('rival.test')
    // A signature clears it for who named the receiver first; a thief could sign too.
    const signed = { announcements: [proofOf(A)], ...isOlder }
    expect(flagsOf(steady(offer()), { accusations: [accusation(away)], ...signed })).toHaveLength(1)
    const later = accusation({ ...away, namedAt: T0 + DAY })
    expect(judge(steady(offer()), { accusations: [later], ...signed }).state.verdict).toBe('safe')
  })

  test('abuse: nor a tenant of a platform that shares the domain, and named its receiver before', () => {
    const tenant = accusation({
      host: 'evil.api.example',
      endpoint: 'https://evil.api.example/a',
      namedAt: T0 + DAY,
    })
    expect(flagsOf(steady(offer()), { accusations: [tenant], ...isOlder })).toEqual([
      'receiver_accused_elsewhere',
    ])
  })

  test('abuse: nor one that was never paid, but named the receiver first; nor where the chain is not read', () => {
    const first = { accusations: [accusation({ ...away, namedAt: T0 + DAY })], ...isNew }
    expect(flagsOf(steady(offer()), first)).toEqual(['receiver_accused_elsewhere'])
    expect(flagsOf(steady(offer()), { accusations: [accusation(away)] })).toEqual([
      'receiver_accused_elsewhere',
    ])
  })

  test('behavior: score 1.3.0, rule 12: tenants of the host are Caution, never exempt, never Avoid', () => {
    const ofTenant = accusation({ payTo: B, detectedAt: T0 + DAY })
    expect(judge(steady(offer()), { accusations: [ofTenant] }).state).toMatchObject({
      verdict: 'caution',
      flags: ['host_accused'],
    })
    expect(flagsOf(steady(offer()), { accusations: [ofTenant], announcements: [proofOf(A)] })).toEqual([
      'host_accused',
    ])
    // A tenant that names the receiver of another one later does not sink that one.
    const ofNamed = accusation({ namedAt: T0 + DAY })
    expect(flagsOf(steady(offer()), { accusations: [ofNamed] })).toEqual(['host_accused'])
  })

  test('abuse: score 1.3.0, rule 12: a host that names a rival without our paying the rival accuses nobody', () => {
    const { isPaid: _, ...unpaid } = accusation(away)
    for (const kind of ['bait_and_switch', 'receiver_hijack'] as const)
      expect(flagsOf(steady(offer()), { accusations: [{ ...unpaid, kind }], ...isNew })).toEqual([])
  })

  test('behavior: a second network of the receiver hides no history on Base', () => {
    const { state } = judge(steady(offer(), polygon()), {
      accusations: [accusation(away)],
      recordsOf: (network) => (network === BASE ? isNew.recordsOf() : []),
    })
    expect(state.flags).toEqual(['receiver_flagged'])
  })

  test('behavior: of very many incidents the three oldest are stated', () => {
    const many = Array.from({ length: 500 }, (_, n) =>
      accusation({ incident: `inc_${n}`, endpoint: `${other}/${n}` }),
    )
    const { state } = judge(steady(offer()), { accusations: many })
    expect(state.accusations?.map(({ incident }) => incident)).toEqual(['inc_0', 'inc_1', 'inc_2'])
  })

  test('behavior: its own incident is not counted twice', () => {
    expect(flagsOf(steady(offer()), { accusations: [accusation({ endpoint: ENDPOINT })] })).toEqual([])
  })
})

describe('score 1.2.0, rule 12: declining probes lifts nothing', () => {
  const declined = series(swapAt + DAY, 40, DAY, (at) =>
    unmeasured(at, { cause: 'opted_out', httpStatus: null }),
  )

  test('default: the verdict is unknown, the risk high, and the incident stays open', () => {
    const recordsOf = () => [record(swapAt + MINUTE, { address: B, receiptsEver: 0 })]
    const before = judge(swapped, { recordsOf })
    const { state, incidents } = judge([...swapped, ...declined], { recordsOf, incidents: before.incidents })
    expect(state).toMatchObject({
      verdict: 'unknown',
      score: null,
      riskLevel: 'high',
      flags: ['payto_changed'],
    })
    expect(incidents).toMatchObject([{ kind: 'receiver_hijack', status: 'open', receiver: { payTo: B } }])
  })

  test('behavior: it ends 90 days after the receiver was last seen', () => {
    const now = swapAt + 91 * DAY
    const { incidents } = judge([...swapped, ...declined])
    expect(
      judge([...swapped, ...declined], { now, incidents }).incidents.every(
        ({ status }) => status === 'resolved',
      ),
    ).toBe(true)
  })
})

describe('score 1.2.0, rule 15: slow is not dark', () => {
  const taking = (latencyMs: number) => series(T0, 8, 3 * HOUR, (at, client) => up(at, { client, latencyMs }))

  test('default: an endpoint that always takes 10 to 30 s is slow, and Safe', () => {
    const { state } = judge(taking(15_000))
    expect(state).toMatchObject({ verdict: 'safe', flags: ['slow'], riskLevel: 'low' })
    expect(messageOf(state, 'slow')).toContain('took 15 to 15 s')
  })

  test('behavior: a cold start now and then is not', () => {
    expect(flagsOf([...taking(90).slice(0, 7), up(T0 + DAY, { latencyMs: 25_000 })])).toEqual([])
  })
})

describe('score 1.2.0: evidence and words', () => {
  test('default: a finding keeps the probes that showed it first', () => {
    const testnet = (at: number, client: string) =>
      up(at, { client, offers: [offer({ network: 'eip155:84532', asset: USDC })] })
    const [early, late] = [series(T0, 3, HOUR, testnet), series(T0 + DAY, 3, HOUR, testnet)]
    const first = judge(early).state
    const evidenceOf = (state: typeof first) =>
      state.reasons.find(({ code }) => code === 'network_testnet')?.evidence
    expect(evidenceOf(first)).toEqual(early.slice(-2).map(({ id }) => id))
    expect(evidenceOf(judge([...early, ...late], { before: first }).state)).toEqual(evidenceOf(first))
    // The store keeps them for as long as it lasts.
    expect(evidenceOf(judge(late, { before: first }).state)).toEqual(evidenceOf(first))
  })

  test('default: an outage keeps the probes that confirmed it', () => {
    const failing = series(T0 + DAY, 9, HOUR, (at) => down(at))
    const all = [...series(T0, 3, HOUR, (at) => up(at)), ...failing]
    const first = judge(all.slice(0, 6)).state
    const later = judge(all, { before: first }).state
    const evidence = failing.slice(0, 3).map(({ id }) => id)
    for (const { reasons } of [first, later])
      for (const code of ['flaky', 'dark'])
        expect(reasons).toContainEqual(expect.objectContaining({ code, evidence }))
  })

  test('behavior: a second change of receiver is another finding, with its own probes', () => {
    const evidenceOf = ({ state }: ReturnType<typeof judge>) =>
      state.reasons.find(({ code }) => code === 'payto_changed')?.evidence
    const first = judge([...swapped, ...confirmed(swapAt + HOUR, B)])
    const again = [...swapped, ...confirmed(swapAt + HOUR, B), ...confirmed(swapAt + 2 * DAY, C)]
    const second = judge(again, { before: first.state })
    expect(evidenceOf(first)).toHaveLength(12)
    expect(evidenceOf(second)).toHaveLength(12)
    expect(evidenceOf(second)).not.toEqual(evidenceOf(first))
  })

  test('behavior: reasons state measured values and when they clear', () => {
    const { state } = judge([...swapped, ...confirmed(swapAt + HOUR, B)])
    expect(messageOf(state, 'payto_changed')).toBe(
      `The receiver changed from ${A} to ${B} on 2026-06-03 00:00 UTC without an announcement. Clears on 2026-07-03 00:00 UTC if the receiver does not change again.`,
    )
  })

  test('behavior: a finding whose evidence is not public is not critical', () => {
    const reasonsOf = (txHash: string | null) => {
      const purchases = [1, 2].map(
        (day): Purchase => ({
          kind: 'purchase',
          id: `p${day}`,
          at: T0 + day * DAY,
          endpoint: ENDPOINT,
          host: HOST,
          network: BASE,
          payTo: A,
          amountAtomic: '10000',
          settled: true,
          delivered: false,
          txHash,
        }),
      )
      return judge(
        series(T0, 9, 8 * HOUR, (at) => up(at)),
        { purchases },
      ).state.reasons
    }
    const [code, evidence] = ['no_delivery', [expect.any(String), expect.any(String)]]
    expect(reasonsOf(`0x${'ab'.repeat(32)}`)).toMatchObject([{ code, severity: 'critical', evidence }])
    // Without a transaction no incident publishes the purchases.
    expect(reasonsOf(null)).toMatchObject([{ code, severity: 'warn', evidence }])
  })
})
