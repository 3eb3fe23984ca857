import { expect, test } from 'vitest'
import type { Purchase } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { toRow } from '../publish/hostIndex.ts'
import { aPurchase, documentOf, NOON } from '../store/testing/records.ts'
import { planPurchase } from './shopping.ts'

const limits = { network: 'eip155:8453', perCallUsd: 0.05 }

const endpoint = (path: string, changes: Partial<EndpointState> = {}): EndpointState => {
  const [first] = documentOf('api.example', NOON).endpoints
  if (first === undefined) throw new Error('a document has an endpoint')
  return { ...first, endpoint: `https://api.example/${path}`, ...changes }
}
const bought = (path: string, at: number, changes: Partial<Purchase> = {}): Purchase => ({
  ...aPurchase(),
  endpoint: `https://api.example/${path}`,
  at,
  ...changes,
})
const plan = (endpoints: EndpointState[], purchases: Purchase[] = [], now = NOON) => {
  const planned = planPurchase(endpoints.map(toRow), purchases, limits, now)
  return planned === undefined ? undefined : [new URL(planned.endpoint.endpoint).pathname, planned.notBefore]
}

test('default: plans the cheapest call within the limit, at once for a new service', () => {
  expect(
    plan([
      endpoint('a', { priceUsd: 0.03 }),
      endpoint('b', { priceUsd: 0.02 }),
      endpoint('c', { priceUsd: 0.06 }),
    ]),
  ).toEqual(['/b', 0])
})

test('behavior: skips endpoints that are too expensive, dark, on another network, at high risk, or never paid', () => {
  for (const changes of [
    { priceUsd: 0.0501 },
    { priceUsd: 0 },
    { priceUsd: null },
    { status: 'dark', verdict: 'avoid' },
    { network: 'eip155:84532' },
    { flags: ['network_testnet'] },
    { flags: ['no_delivery', 'cloaked'] },
    { flags: ['receiver_never_paid'] },
  ] as Partial<EndpointState>[]) {
    expect([changes, plan([endpoint('a', changes)])]).toEqual([changes, undefined])
  }
  expect(plan([endpoint('a')], [], NOON + 49 * HOUR)).toBeUndefined()
})

test('behavior: buys from a service once a week, at any of its endpoints', () => {
  const endpoints = [endpoint('a'), endpoint('b', { priceUsd: 0.01 })]
  expect(plan(endpoints, [bought('b', NOON)])).toEqual(['/a', NOON + 7 * DAY])
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
