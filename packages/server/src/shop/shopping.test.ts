import { expect, test } from 'vitest'
import type { Purchase } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { toRow } from '../publish/hostIndex.ts'
import { aPurchase, documentOf, NOON } from '../store/testing/records.ts'
import { planPurchase, whyNotBought } from './shopping.ts'

/** No endpoint above the price limit. */
const NOT_DEAR = { endpoints: [], mostUsd: 0 }

const NEVER = { status: 'never_bought', month: null, paidUsd: null, reason: null } as const

const endpoint = (path: string, changes: Partial<EndpointState> = {}): EndpointState => {
  const [first] = documentOf('api.example', NOON).endpoints
  if (first === undefined) throw new Error('a document has an endpoint')
  return { ...first, delivery: NEVER, endpoint: `https://api.example/${path}`, ...changes }
}
const bought = (path: string, at: number, changes: Partial<Purchase> = {}): Purchase => ({
  ...aPurchase(),
  endpoint: `https://api.example/${path}`,
  at,
  ...changes,
})
const plan = (endpoints: EndpointState[], purchases: Purchase[] = [], drawn = 0.9) => {
  const planned = planPurchase(endpoints.map(toRow), purchases, () => drawn, NOT_DEAR)
  return planned === undefined ? undefined : [new URL(planned.endpoint.endpoint).pathname, planned.notBefore]
}

test('default: plans a call at once for a new service', () => {
  expect(plan([endpoint('a')])).toEqual(['/a', 0])
  expect(plan([])).toBeUndefined()
})

test('rule 14, abuse: a seller that delivers its cheapest call alone is asked for the dear ones too', () => {
  const menu = [endpoint('cheap', { priceUsd: 0.001 }), endpoint('dear', { priceUsd: 0.05 })]
  const rounds = Array.from({ length: 1000 }, (_, round) => plan(menu, [], (round + 0.5) / 1000)?.[0])
  const dear = rounds.filter((path) => path === '/dear').length
  // The square root of 50 to 1.
  expect(dear).toBe(124)
  expect(rounds.length - dear).toBe(876)
})

test('behavior: what the last judgement rules out, and what is not live or judged, is not bought', () => {
  const why = (changes: Partial<EndpointState>, now = NOON) =>
    whyNotBought(toRow(endpoint('a', changes)), now)
  expect(why({})).toBeNull()
  expect(why({ delivery: { ...NEVER, status: 'cannot_be_bought', reason: 'high_risk' } })).toBe('high_risk')
  expect(why({ delivery: { ...NEVER, status: 'delivered', reason: 'price_above_limit' } })).toBe(
    'price_above_limit',
  )
  expect(why({ status: 'dark', verdict: 'avoid' })).toBe('not_live')
  expect(why({}, NOON + 49 * HOUR)).toBe('not_live')
  const { delivery: _, ...older } = toRow(endpoint('a'))
  expect(whyNotBought(older, NOON)).toBe('not_judged')
})

test('behavior: buys from a service once a week, at any of its endpoints', () => {
  const endpoints = [endpoint('a'), endpoint('b', { priceUsd: 0.01 })]
  expect(plan(endpoints, [bought('b', NOON)], 0)).toEqual(['/a', NOON + 7 * DAY])
})

test('behavior: repeats a failed purchase once, within two days, then weekly', () => {
  const endpoints = [endpoint('a', { priceUsd: 0.02 }), endpoint('b', { priceUsd: 0.01 })]
  const nothing = { delivered: false }
  const again = (purchases: Purchase[]) => {
    const [path, at] = plan(endpoints, purchases) ?? []
    return [path, Number(at) >= NOON + HOUR && Number(at) <= NOON + 48 * HOUR]
  }
  expect(again([bought('a', NOON, nothing)])).toEqual(['/a', true])
  const twice = [bought('a', NOON - HOUR, nothing), bought('a', NOON, nothing)]
  expect(plan(endpoints, twice)).toEqual(['/b', NOON + 7 * DAY])
  const elsewhere = [bought('b', NOON - HOUR, nothing), bought('a', NOON, nothing)]
  expect(again(elsewhere)).toEqual(['/a', true])
  const since = [bought('a', NOON - DAY, nothing), bought('a', NOON - HOUR), bought('a', NOON, nothing)]
  expect(again(since)).toEqual(['/a', true])
})

test('rule 14, abuse: the delay of a repetition is drawn by the purchase, so that no seller can wait for it', () => {
  const delays = Array.from({ length: 500 }, (_, index) => {
    const [, at] = plan([endpoint('a')], [bought('a', NOON, { id: `buy_${index}`, delivered: false })]) ?? []
    return (Number(at) - NOON) / HOUR
  })
  expect([Math.min(...delays) >= 1, Math.max(...delays) <= 48]).toEqual([true, true])
  expect(delays.filter((hours) => hours < 12).length).toBeLessThan(200)
  expect(delays.filter((hours) => hours > 36).length).toBeGreaterThan(75)
  expect(new Set(delays).size).toBeGreaterThan(490)
})

test('rule 13, abuse: a seller that funds a purchase each week postpones no ordinary one', () => {
  const funded = { isFunded: true as const }
  const purchases = [bought('a', NOON), bought('dear', NOON + 6 * DAY, funded)]
  expect(plan([endpoint('a')], purchases)).toEqual(['/a', NOON + 7 * DAY])
})

test('rule 14: a funded purchase that failed is repeated at its price, for its receiver alone, once', () => {
  const failed = bought('dear', NOON, { isFunded: true, delivered: false, amountAtomic: '5000000' })
  const dear = { endpoints: [toRow(endpoint('dear'))], mostUsd: 5 }
  expect(planPurchase([], [failed], () => 0.5, dear)).toMatchObject({
    confirms: failed,
    dear: { usd: '5', payTo: failed.payTo, isFunded: false },
  })
  const again = bought('dear', NOON + DAY, { id: 'again', delivered: false, amountAtomic: '5000000' })
  expect(planPurchase([], [failed, again], () => 0.5, dear)).toBeUndefined()
  expect(planPurchase([], [failed], () => 0.5, { ...dear, mostUsd: 4.99 })).toBeUndefined()
})

test('behavior: does not repeat a purchase that did not settle', () => {
  const unsettled = bought('a', NOON, { delivered: false, settled: false, txHash: null })
  expect(plan([endpoint('a')], [unsettled])).toEqual(['/a', NOON + 7 * DAY])
})

test('behavior: buys again from a seller with no_delivery', () => {
  expect(plan([endpoint('a', { flags: ['no_delivery'], verdict: 'avoid', score: 10 })])).toEqual(['/a', 0])
})
