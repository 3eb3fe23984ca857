import { expect, test } from 'vitest'
import type { Purchase } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { toRow } from '../publish/hostIndex.ts'
import { aPurchase, documentOf, NOON } from '../store/testing/records.ts'
import { planPurchase, whyNotBought } from './shopping.ts'

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
  const planned = planPurchase(endpoints.map(toRow), purchases, () => drawn)
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

test('behavior: repeats a failed purchase once after an hour, then weekly', () => {
  const endpoints = [endpoint('a', { priceUsd: 0.02 }), endpoint('b', { priceUsd: 0.01 })]
  const nothing = { delivered: false }
  expect(plan(endpoints, [bought('a', NOON, nothing)])).toEqual(['/a', NOON + HOUR])
  const twice = [bought('a', NOON - HOUR, nothing), bought('a', NOON, nothing)]
  expect(plan(endpoints, twice)).toEqual(['/b', NOON + 7 * DAY])
  const elsewhere = [bought('b', NOON - HOUR, nothing), bought('a', NOON, nothing)]
  expect(plan(endpoints, elsewhere)).toEqual(['/a', NOON + HOUR])
  const since = [bought('a', NOON - DAY, nothing), bought('a', NOON - HOUR), bought('a', NOON, nothing)]
  expect(plan(endpoints, since)).toEqual(['/a', NOON + HOUR])
})

test('behavior: does not repeat a purchase that did not settle', () => {
  const unsettled = bought('a', NOON, { delivered: false, settled: false, txHash: null })
  expect(plan([endpoint('a')], [unsettled])).toEqual(['/a', NOON + 7 * DAY])
})

test('behavior: buys again from a seller with no_delivery', () => {
  expect(plan([endpoint('a', { flags: ['no_delivery'], verdict: 'avoid', score: 10 })])).toEqual(['/a', 0])
})
