import { expect, test } from 'vitest'
import type { Listing, Purchase } from '../facts/facts.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { aPurchase } from '../store/testing/records.ts'
import { UNBUYABLE_CODES } from './delivery.ts'
import {
  A,
  B,
  BASE,
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
  termlessListing,
  up,
} from './testing/facts.ts'

const shopping = { network: BASE, perCallUsd: 0.05 }
const probes = series(T0, 12, 3 * HOUR)
const NOW = T0 + 33 * HOUR

const bought = (at: number, changes: Partial<Purchase> = {}): Purchase => ({
  ...aPurchase(),
  id: `p${at}`,
  at,
  endpoint: ENDPOINT,
  host: HOST,
  network: BASE,
  payTo: A,
  amountAtomic: '10000',
  settled: true,
  delivered: true,
  httpStatus: 200,
  ...changes,
})
const undelivered = (at: number, changes: Partial<Purchase> = {}) =>
  bought(at, { delivered: false, httpStatus: 500, ...changes })
const judged = (purchases: readonly Purchase[], more: Parameters<typeof judge>[1] = {}) =>
  judge(probes, { purchases, shopping, listings: [listing(T0)], ...more }).state

test('default: a delivered test purchase is stated by its month and price', () => {
  expect(judged([bought(T0)]).delivery).toEqual({
    status: 'delivered',
    month: '2026-06',
    paidUsd: 0.01,
    reason: null,
  })
  expect(judged([]).delivery).toEqual({ status: 'never_bought', month: null, paidUsd: null, reason: null })
  expect(judged([undelivered(T0)]).delivery).toMatchObject({ status: 'failed', month: '2026-06' })
})

test('rule 13: a purchase changes nothing that a seller sees before its drawn time', () => {
  const before = judged([])
  for (const purchase of [bought(NOW - HOUR), undelivered(NOW - HOUR)]) {
    const hidden = judged([{ ...purchase, shownFrom: NOW + DAY }])
    expect(hidden).toEqual(before)
    expect(judged([{ ...purchase, shownFrom: NOW }])).not.toEqual(before)
  }
})

test('rule 13: the delivery of a former receiver says nothing of the present one', () => {
  expect(judged([bought(T0 - DAY, { payTo: B })])).toMatchObject({
    delivery: { status: 'never_bought' },
    scored: { proof: { delivered: false } },
  })
})

test('behavior: why an endpoint cannot be bought is said by a code', () => {
  const reasonOf = (more: Parameters<typeof judged>[1], observations = probes) =>
    judge(observations, { shopping, listings: [listing(T0)], ...more }).state.delivery?.reason
  const asks = (change: object) =>
    series(T0, 12, 3 * HOUR, (at, client) => up(at, { client, offers: [offer(change)] }))
  const foreign: Listing = listing(T0, { ownClaim: false })
  expect(reasonOf({ shopping: null })).toBe('no_shopper')
  expect(reasonOf({ listings: [foreign] })).toBe('not_declared')
  expect(reasonOf({ listings: [listing(T0, { url: 'https://api.example/users/:id' })] })).toBe('input_open')
  expect(reasonOf({ listings: [termlessListing(T0)] }, asks({ amountAtomic: '50001' }))).toBe(
    'price_above_limit',
  )
  expect(reasonOf({}, asks({ network: POLYGON, asset: POLYGON_USDC }))).toBe('not_payable')
  expect(reasonOf({}, asks({ payTo: offer().asset }))).toBe('high_risk')
  expect(reasonOf({}, [])).toBe('not_live')
  expect(reasonOf({})).toBeNull()
})

test('behavior: an endpoint that asks on several networks is bought from on the one that is paid on', () => {
  const both = [offer({ network: POLYGON, asset: POLYGON_USDC, amountAtomic: '900000' }), offer()]
  const { state } = judge(
    series(T0, 12, 3 * HOUR, (at, client) => up(at, { client, offers: both })),
    {
      shopping,
      listings: [listing(T0)],
    },
  )
  expect(state.delivery).toMatchObject({ status: 'never_bought' })
})

const dear = (amountAtomic: string, change: object = {}) =>
  series(T0, 12, 3 * HOUR, (at, client) => up(at, { client, offers: [offer({ amountAtomic, ...change })] }))
const flagsOf = (observations: typeof probes, more: Parameters<typeof judge>[1] = {}) =>
  judge(observations, { listings: [], ...more }).state.flags

test('rule 13: above a dollar a call without a delivery or an established receiver is unproven', () => {
  expect(flagsOf(dear('1000001'))).toContain('unproven')
  expect(flagsOf(dear('1000000'))).not.toContain('unproven')
  const established = () => [record(NOW, { category: 'established' })]
  expect(flagsOf(dear('1000001'), { recordsOf: established })).not.toContain('unproven')
  expect(flagsOf(dear('3000000'), { purchases: [bought(T0, { amountAtomic: '1000000' })] })).not.toContain(
    'unproven',
  )
  const { reasons } = judge(dear('2500000')).state
  expect(reasons.find(({ code }) => code === 'unproven')?.message).toBe(
    'A call costs $2.50, no test purchase of at least a third of that was delivered, and the receiver is not known on chain. Clears when such a purchase is delivered, which a seller may fund in advance (/owners/api.example), when the receiver is established, or when a call costs at most $1.',
  )
})

test('rule 13, abuse: a cheap delivery proves no dear call, nor does the maximum of an upto offer go unseen', () => {
  expect(flagsOf(dear('5000000'), { purchases: [bought(T0)] })).toContain('unproven')
  expect(flagsOf(dear('5000000', { scheme: 'upto' }))).toContain('unproven')
  const hidden = [offer(), offer({ network: POLYGON, asset: POLYGON_USDC, amountAtomic: '5000000' })]
  expect(flagsOf(series(T0, 12, 3 * HOUR, (at, client) => up(at, { client, offers: hidden })))).toContain(
    'unproven',
  )
})

test('rule 13, honest: one odd probe above a dollar raises nothing', () => {
  expect(
    flagsOf([
      ...probes,
      ...dear('2000000')
        .slice(0, 1)
        .map((one) => ({ ...one, at: NOW + HOUR })),
    ]),
  ).not.toContain('unproven')
})

test('rule 14: a settled purchase that is answered 5xx, nothing or 402 again is undelivered', () => {
  for (const httpStatus of [500, 503, 200, 402, null]) {
    const twice = [undelivered(T0, { httpStatus }), undelivered(T0 + HOUR, { httpStatus })]
    expect([httpStatus, judged(twice).flags]).toEqual([httpStatus, expect.arrayContaining(['no_delivery'])])
  }
})

test('rule 14: a 4xx after settlement charges for errors, and is undelivered for the declared sample', () => {
  for (const httpStatus of [400, 401, 403, 404, 422, 429]) {
    const twice = [undelivered(T0, { httpStatus }), undelivered(T0 + HOUR, { httpStatus })]
    expect([httpStatus, judged(twice).flags]).toEqual([httpStatus, ['charges_errors']])
    const sample = twice.map((one) => ({ ...one, hasInput: true as const }))
    expect([httpStatus, judged(sample).flags]).toEqual([httpStatus, ['charges_errors', 'no_delivery']])
  }
  const state = judged([undelivered(T0, { httpStatus: 422 }), undelivered(T0 + HOUR, { httpStatus: 422 })])
  expect(state.verdict).toBe('caution')
  expect(state.reasons.find(({ code }) => code === 'charges_errors')?.message).toMatch(
    /^2 test purchases within 60 days settled and were answered with an error, the last with status 422 for 10000 .* Clears on 2026-07-31/,
  )
})

test('rule 14, abuse: a delivery in between does not clear two charged errors', () => {
  const error = { httpStatus: 404, delivered: false }
  expect(judged([bought(T0, error), bought(T0 + HOUR), bought(T0 + 2 * HOUR, error)]).flags).toEqual([
    'charges_errors',
  ])
})

test('rule 14, honest: one charged error, or two of which one was long ago, raises nothing', () => {
  const error = { httpStatus: 404, delivered: false }
  expect(judged([bought(T0, error)]).flags).toEqual([])
  expect(judged([bought(T0 - 60 * DAY, error), bought(T0 + HOUR, error)]).flags).toEqual([])
})

test('rule 14, abuse: a seller that delivers the first purchase alone is found by the later ones', () => {
  const later = [undelivered(T0 + HOUR), undelivered(T0 + 2 * HOUR)]
  expect(judged([bought(T0), ...later]).flags).toContain('no_delivery')
  expect(judged([bought(T0), ...later.map((one) => ({ ...one, shownFrom: NOW + DAY }))])).toMatchObject({
    flags: ['no_delivery'],
    delivery: { status: 'failed' },
  })
})

test('rule 14, abuse: the delivery that confirms a failure states nothing; the next one does', () => {
  const failed = undelivered(T0 - 2 * DAY)
  const confirmed = bought(T0 - DAY)
  expect(judged([failed, confirmed])).toMatchObject({
    delivery: { status: 'failed' },
    scored: { proof: { delivered: false } },
  })
  expect(judged([{ ...failed, shownFrom: NOW + DAY }, confirmed]).delivery?.status).toBe('never_bought')
  expect(judged([failed, confirmed, bought(T0)]).delivery?.status).toBe('delivered')
})

test('rule 14, honest: one failure among deliveries costs the statement until the second delivery after it', () => {
  const weeks = [bought(T0 - 3 * DAY), undelivered(T0 - 2 * DAY), bought(T0 - DAY), bought(T0)]
  expect(judged(weeks).delivery?.status).toBe('delivered')
})

test('rule 13, abuse: a delivery vouches for no offer that pays another receiver', () => {
  const both = (payTo: string) => [offer(), offer({ network: POLYGON, asset: POLYGON_USDC, payTo })]
  const stateOf = (payTo: string) =>
    judge(
      series(T0, 12, 3 * HOUR, (at, client) => up(at, { client, offers: both(payTo) })),
      { shopping, listings: [listing(T0)], purchases: [bought(T0)] },
    ).state
  expect(stateOf(B).delivery).toEqual({
    status: 'never_bought',
    month: null,
    paidUsd: null,
    reason: 'receivers_differ',
  })
  expect(stateOf(A).delivery?.status).toBe('delivered')
})

test('rule 13, abuse: a price that a lot hides from the last two probes still needs a proof', () => {
  const drawn = series(T0, 12, 3 * HOUR, (at, client) =>
    up(at, {
      client,
      offers: [offer({ amountAtomic: (at - T0) % (9 * HOUR) === 0 ? '2900000' : '990000' })],
    }),
  )
  expect(drawn.slice(-2).map(({ offers }) => offers[0]?.amountAtomic)).toContain('990000')
  expect(flagsOf(drawn)).toContain('unproven')
})

test('behavior: reasons are listed in the order in which they rule out', () => {
  expect(UNBUYABLE_CODES).toEqual([
    'no_shopper',
    'opted_out',
    'not_live',
    'not_declared',
    'input_open',
    'never_paid',
    'high_risk',
    'not_payable',
    'price_above_limit',
    'receivers_differ',
  ])
  const reasonOf = (more: Parameters<typeof judged>[1]) => judged([], more).delivery?.reason
  const all = { shopping: null, listings: [] }
  expect([reasonOf(all), reasonOf({ ...all, shopping })]).toEqual(['no_shopper', 'not_declared'])
})
