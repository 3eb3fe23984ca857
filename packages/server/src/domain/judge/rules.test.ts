import { describe, expect, test } from 'vitest'
import type { Announcement, ObservedOffer } from '../facts/facts.ts'
import type { Accusation } from '../facts/hostDocument.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import {
  A,
  address,
  B,
  BASE,
  C,
  confirmed,
  ENDPOINT,
  HOST,
  judge,
  listing,
  offer,
  POLYGON,
  POLYGON_USDC,
  record,
  series,
  T0,
  USDC,
  unmeasured,
  up,
} from '../testing/facts.ts'
import { swapAt, swapped } from '../testing/swap.ts'

const polygon = (changes: Partial<ObservedOffer> = {}) =>
  offer({ network: POLYGON, asset: POLYGON_USDC, ...changes })
const asking =
  (...offers: ObservedOffer[]) =>
  (at: number, client: string) =>
    up(at, { client, offers })
const flagsOf = (...args: Parameters<typeof judge>) => judge(...args).state.flags
const steady = (...offers: ObservedOffer[]) => series(T0, 24, 3 * HOUR, asking(...offers))
const later = T0 + 3 * DAY
const ofB = ({ payTo }: { payTo: string }) => payTo === B
const messageOf = (state: ReturnType<typeof judge>['state'], flag: string) =>
  state.reasons.find(({ code }) => code === flag)?.message

/** The receiver's signature for the host. */
const proofOf = (payTo: string, network = BASE): Announcement => ({
  kind: 'announcement',
  id: `proof of ${payTo}`,
  at: T0,
  host: HOST,
  network,
  oldPayTo: payTo,
  newPayTo: payTo,
  validFrom: T0,
  basis: 'receiver_proof',
  expiresAt: T0 + 300 * DAY,
  txHash: null,
})

describe('score 1.2.0, rule 1: every offer is judged', () => {
  const added = [...steady(offer()), ...series(later, 6, 3 * HOUR, asking(polygon({ payTo: B }), offer()))]

  test('default: an offer to another receiver on another network is Caution, and out of the signed terms', () => {
    const { state } = judge(added)
    expect(state).toMatchObject({ verdict: 'caution', flags: ['terms_unproven'], payTo: A })
    expect(state.terms.some(ofB)).toBe(false)
    expect(messageOf(state, 'terms_unproven')).toContain(`to ${B}`)
  })

  test('behavior: one probe keeps it out already, two raise the flag', () => {
    const { state } = judge(added.slice(0, 25))
    expect(state.flags).toEqual([])
    expect(state.terms.some(ofB)).toBe(false)
  })

  test('behavior: one that comes and goes is never confirmed, nor in the terms of the probes between', () => {
    const once = [up(later, { offers: [offer(), polygon({ payTo: B })] })]
    const { state } = judge([...steady(offer()), ...once, ...series(later + HOUR, 3, HOUR, asking(offer()))])
    expect(state.terms.some(ofB)).toBe(false)
    const often = series(later, 40, 3 * HOUR, (at, client) =>
      up(at, {
        client,
        offers: ((at - later) / (3 * HOUR)) % 3 === 0 ? [offer(), polygon({ payTo: B })] : [offer()],
      }),
    )
    const shown = judge([...steady(offer()), ...often]).state
    expect(shown).toMatchObject({ verdict: 'caution', flags: ['terms_unproven'] })
    expect(shown.terms.some(ofB)).toBe(false)
  })

  test('behavior: two clients over 24 h confirm it; one client never does', () => {
    const day = series(later, 9, 3 * HOUR, asking(offer(), polygon({ payTo: B })))
    const seen = judge([...steady(offer()), ...day]).state
    expect(seen.flags).toEqual([])
    expect(seen.terms.some(ofB)).toBe(true)
    const one = series(later, 30, 3 * HOUR, (at) => up(at, { offers: [offer(), polygon({ payTo: B })] }))
    expect(judge([...steady(offer()), ...one]).state).toMatchObject({ flags: ['terms_unproven'] })
  })

  test('behavior: the same receiver on another network is Safe, and signed for once confirmed', () => {
    const own = [...steady(offer()), ...series(later, 4, 3 * HOUR, asking(offer(), polygon()))]
    const { state } = judge(own)
    expect(state).toMatchObject({ verdict: 'safe', flags: ['terms_new'], riskLevel: 'low' })
    expect(state.terms.map(({ network }) => network)).toEqual([BASE])
  })

  test('behavior: a first offer on a new kind of chain is Safe meanwhile', () => {
    const solana = offer({
      network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
      asset: 'EPjF',
      payTo: 'Seller1',
    })
    const { state } = judge([...steady(offer()), ...series(later, 4, 3 * HOUR, asking(offer(), solana))])
    expect(state).toMatchObject({ verdict: 'safe', flags: ['terms_new'] })
  })

  test('behavior: a signature of the receiver for the host proves it at once', () => {
    const { state } = judge(added, { announcements: [proofOf(B, POLYGON)] })
    expect(state.flags).toEqual([])
    expect(state.terms.some(ofB)).toBe(true)
  })

  test('behavior: what an endpoint offers from its first probe on is exempt', () => {
    expect(flagsOf(series(T0, 6, HOUR, asking(offer(), polygon({ payTo: B }))))).toEqual([])
  })

  test('behavior: a receiver that changes on a network beside Base is a change', () => {
    const before = steady(offer(), polygon())
    const after = series(later, 12, 20_000, asking(offer(), polygon({ payTo: B })))
    expect(judge([...before, ...after]).state).toMatchObject({ verdict: 'avoid', flags: ['payto_changed'] })
  })
})

describe('score 1.2.0, rule 2: one client that gets another offer in front', () => {
  const both = (front: ObservedOffer) =>
    [later, later + 7 * HOUR].flatMap((from) =>
      series(from, 4, MINUTE, (at, client) =>
        up(at, { client, offers: client === 'agent' ? [front, offer()] : [offer()] }),
      ),
    )

  test('default: is cloaked, whatever its network or asset, once a cache explains it no more', () => {
    const fronts = [polygon({ payTo: B }), offer({ asset: C, payTo: B }), polygon({ amountAtomic: '900000' })]
    for (const front of fronts) {
      const { state } = judge([...steady(offer()), ...both(front)])
      expect(state.flags).toContain('cloaked')
      expect(messageOf(state, 'cloaked')).toMatch(/client (agent|touchstone) got/)
    }
  })

  test('behavior: a seller that shuffles the same offers is not', () => {
    const shuffled = series(T0, 24, 3 * HOUR, (at, client) =>
      up(at, { client, offers: client === 'agent' ? [polygon(), offer()] : [offer(), polygon()] }),
    )
    expect(flagsOf(shuffled)).toEqual([])
  })
})

describe('score 1.2.0, rule 3: the dearest payable offer', () => {
  test('default: a dear offer beside the shown one is price_high, with its numbers', () => {
    const dear = polygon({ amountAtomic: '2500000' })
    const categoryPrice = () => ({ medianUsd: 0.01, count: 6 })
    const { state } = judge(steady(offer(), dear), { categoryPrice })
    expect(state).toMatchObject({ verdict: 'caution', flags: ['price_high'] })
    expect(messageOf(state, 'price_high')).toBe(
      'It asks $2.50; the median of 6 comparable is $0.01. Clears at $0.10 or less.',
    )
  })

  test('behavior: the maximum of upto is no price', () => {
    expect(flagsOf(steady(offer(), offer({ scheme: 'upto', amountAtomic: '9000000' })))).toEqual([])
  })

  test('behavior: an asset without a price in dollars says so', () => {
    expect(flagsOf(steady(offer({ asset: C })))).toContain('price_unknown')
    expect(flagsOf(steady(offer({ asset: C }), offer()))).not.toContain('price_unknown')
  })
})

describe('score 1.2.0, rule 4: a range is a price', () => {
  const priced = (amounts: readonly string[]) =>
    series(T0, amounts.length, 3 * HOUR, (at, client) =>
      up(at, { client, amount: amounts[(at - T0) / (3 * HOUR)] ?? '1000' }),
    )
  const mostly = (dear: readonly number[]) =>
    Array.from({ length: 20 }, (_, index) => (dear.includes(index) ? '500000' : '1000'))

  test('default: $0.001 usually and $0.50 at random is Caution, and signed for up to three times the median', () => {
    const { state } = judge(priced(mostly([7, 18])))
    expect(state).toMatchObject({ verdict: 'caution', flags: ['price_varies'] })
    expect(state.terms).toMatchObject([{ amountAtomicMin: '1000', amountAtomicMax: '1000' }])
    expect(messageOf(state, 'price_varies')).toContain('1000 in 18, 500000 in 2 atomic units')
  })

  test('behavior: a price that varies with the network or asset is one too', () => {
    const dear = polygon({ amountAtomic: '500000' })
    const cheap = offer({ amountAtomic: '1000' })
    const probes = series(T0, 20, 3 * HOUR, (at, client) =>
      up(at, { client, offers: [((at - T0) / (3 * HOUR)) % 5 === 4 ? dear : cheap] }),
    )
    const { state } = judge(probes)
    expect(state.flags).toContain('price_varies')
    expect(messageOf(state, 'price_varies')).toContain('$0.001 in 16, $0.50 in 4')
    for (const { amountAtomicMax } of state.terms) expect(amountAtomicMax).toBe('1000')
  })

  test('behavior: the first spike is out of the signed terms already', () => {
    const { state } = judge(priced(mostly([18])))
    expect(state.flags).not.toContain('price_varies')
    expect(state.terms).toMatchObject([{ amountAtomicMax: '1000' }])
  })

  test('behavior: of few probes the lowest price counts, since chance may show the dear one first', () => {
    for (const amounts of [
      ['500000', '500000', '1000'],
      ['1000', '500000', '500000', '500000'],
    ])
      expect(judge(priced(amounts)).state.terms).toMatchObject([{ amountAtomicMax: '1000' }])
  })

  test('behavior: one step is a jump, and the new price is signed for once five probes in a row ask it', () => {
    const four = judge(priced(mostly([16, 17, 18, 19]))).state
    expect([four.flags, four.terms[0]?.amountAtomicMax]).toEqual([[], '1000'])
    const five = judge(priced(mostly([15, 16, 17, 18, 19]))).state
    expect([five.flags, five.terms[0]?.amountAtomicMax]).toEqual([[], '500000'])
  })

  test('behavior: day and night prices within three times are none', () => {
    const daily = Array.from({ length: 20 }, (_, index) => (index % 8 < 4 ? '9000' : '15000'))
    expect(flagsOf(priced(daily))).not.toContain('price_varies')
  })

  test('behavior: a price that follows the request, tiers and upto are declared', () => {
    const byRequest = series(T0, 20, 3 * HOUR, (at, client) => {
      const isDear = ((at - T0) / (3 * HOUR)) % 2 === 0
      return up(at, { client, amount: isDear ? '500000' : '1000', request: isDear ? 'long' : 'short' })
    })
    const upto = series(T0, 20, 3 * HOUR, (at, client) =>
      up(at, {
        client,
        offers: [
          offer({ scheme: 'upto', amountAtomic: ((at - T0) / (3 * HOUR)) % 2 === 0 ? '500000' : '1000' }),
        ],
      }),
    )
    const tiers = steady(offer({ amountAtomic: '1000' }), offer({ amountAtomic: '500000' }))
    for (const probes of [byRequest, upto, tiers]) expect(flagsOf(probes)).not.toContain('price_varies')
  })
})

test('score 1.2.0, rule 6: what stock clients refuse is said, and stays Safe', () => {
  const refused = offer({ stockRefuses: 'domain_missing' })
  expect(judge(steady(refused)).state).toMatchObject({ verdict: 'safe', flags: ['unpayable_by_stock'] })
  expect(flagsOf(steady(refused, polygon()))).toEqual([])
})

describe('score 1.2.0, rules 7 and 8: nobody speaks for another', () => {
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
    const own = listing(T0, {
      claimedAt: T0 + 2 * DAY,
      claims: { ...listing(T0).claims, amountAtomic: '1000', priceUsd: 0.001 },
    })
    expect(judge(steady(offer()), { listings: [own] }).incidents).toMatchObject([{ kind: 'bait_and_switch' }])
    expect(judge(steady(offer()), { listings: [{ ...own, ownClaim: false }] }).incidents).toEqual([])
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

  test('behavior: an endpoint whose first probes are not read any more is as old as its state says', () => {
    const before = judge(steady(offer())).state
    const late = accusation({ payTo: B, detectedAt: T0 + DAY })
    const cut = series(T0 + 2 * DAY, 8, 3 * HOUR, asking(offer()))
    expect(flagsOf(cut, { isWhole: false, before, accusations: [late] })).toEqual([])
    expect(flagsOf(cut, { accusations: [late] })).toEqual(['host_accused'])
  })

  test('abuse: nor one that was never paid, but named the receiver first; nor where the chain is not read', () => {
    const first = { accusations: [accusation({ ...away, namedAt: T0 + DAY })], ...isNew }
    expect(flagsOf(steady(offer()), first)).toEqual(['receiver_accused_elsewhere'])
    expect(flagsOf(steady(offer()), { accusations: [accusation(away)] })).toEqual([
      'receiver_accused_elsewhere',
    ])
  })

  test('behavior: a path with another receiver that appeared after the incident is Caution until it signs', () => {
    const late = accusation({ payTo: B, detectedAt: T0 })
    expect(flagsOf(steady(offer()), { accusations: [late] })).toEqual(['host_accused'])
    expect(flagsOf(steady(offer()), { accusations: [late], announcements: [proofOf(A)] })).toEqual([])
  })

  test('abuse: tenants of a shared host that were there before keep their verdict', () => {
    const late = accusation({ payTo: B, detectedAt: T0 + DAY })
    expect(flagsOf(steady(offer()), { accusations: [late] })).toEqual([])
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

describe('score 1.2.0, rule 16: deposit receivers with signed offers', () => {
  const deposits = (key: (index: number) => string | undefined) =>
    [...series(T0, 6, 20_000), ...series(T0 + DAY, 6, 20_000)].map(({ at, client }, index) => {
      const offersSignedBy = key(index)
      return up(at, { client, payTo: address(`${index % 10}`), ...(offersSignedBy && { offersSignedBy }) })
    })

  test('default: are Safe while one key signs them all', () => {
    expect(judge(deposits(() => 'did:web:api.example#1')).state).toMatchObject({
      verdict: 'safe',
      flags: [],
      receiverStability: null,
    })
  })

  test('behavior: unsigned ones, or those of two keys, rotate', () => {
    expect(flagsOf(deposits(() => undefined))).toEqual(['payto_rotates'])
    expect(
      flagsOf(deposits((index) => (index === 11 ? 'did:web:thief#1' : 'did:web:api.example#1'))),
    ).toEqual(['payto_rotates'])
  })
})

test('score 1.2.0: offers that the receiver itself signed are its proof for the host', () => {
  const signed = (offersSignedBy: string) =>
    series(T0, 4, DAY, (at, client) => up(at, { client, offersSignedBy }))
  expect(judge(signed(`eip155:${A}`)).state.score).toBe(92)
  for (const key of [`eip155:${B}`, 'jwk:abc', `did:${A}`]) expect(judge(signed(key)).state.score).toBe(90)
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
    // Once they are no longer kept, it names others.
    expect(evidenceOf(judge(late, { before: first }).state)).toEqual(late.slice(-2).map(({ id }) => id))
  })

  test('behavior: reasons state measured values and when they clear', () => {
    const { state } = judge([...swapped, ...confirmed(swapAt + HOUR, B)])
    expect(messageOf(state, 'payto_changed')).toBe(
      `The receiver changed from ${A} to ${B} on 2026-06-03 00:00 UTC without an announcement. Clears on 2026-07-03 00:00 UTC, if probes see it stay.`,
    )
  })

  test('behavior: a finding without evidence is not critical', () => {
    const { state } = judge(swapped)
    for (const { severity, evidence } of state.reasons)
      if (severity === 'critical') expect(evidence.length).toBeGreaterThan(0)
  })
})
