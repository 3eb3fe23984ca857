import { expect, test } from 'vitest'
import { aPurchase, documentOf, NOON } from '../adapters/store/testing/records.ts'
import type { Purchase } from '../domain/facts/facts.ts'
import type { EndpointState } from '../domain/facts/hostDocument.ts'
import { DAY, HOUR } from '../domain/facts/times.ts'
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
  const planned = planPurchase(endpoints, purchases, limits, now)
  return planned === undefined ? undefined : [new URL(planned.endpoint.endpoint).pathname, planned.notBefore]
}

test('default: the cheapest call within the limit, at once where nothing was bought yet', () => {
  expect(
    plan([
      endpoint('a', { priceUsd: 0.03 }),
      endpoint('b', { priceUsd: 0.02 }),
      endpoint('c', { priceUsd: 0.06 }),
    ]),
  ).toEqual(['/b', 0])
})

test('behavior: nothing is bought that is too dear, dead, on another network, or known to be bad', () => {
  for (const changes of [
    { priceUsd: 0.0501 },
    { priceUsd: 0 },
    { priceUsd: null },
    { status: 'dark', verdict: 'avoid' },
    { network: 'eip155:84532' },
    { flags: ['network_testnet'] },
    { flags: ['no_delivery', 'cloaked'] },
  ] as Partial<EndpointState>[]) {
    expect([changes, plan([endpoint('a', changes)])]).toEqual([changes, undefined])
  }
  expect(plan([endpoint('a')], [], NOON + 49 * HOUR)).toBeUndefined()
})

test('behavior: a service that has delivered is bought from once a week, whichever endpoint it was', () => {
  const endpoints = [endpoint('a'), endpoint('b', { priceUsd: 0.01 })]
  expect(plan(endpoints, [bought('b', NOON)])).toEqual(['/a', NOON + 7 * DAY])
})

test('behavior: what brought nothing is bought once more after an hour, and then only weekly', () => {
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

test('behavior: what did not settle proves nothing and is not repeated', () => {
  const unsettled = bought('a', NOON, { delivered: false, settled: false, txHash: null })
  expect(plan([endpoint('a')], [unsettled])).toEqual(['/a', NOON + 7 * DAY])
})

test('behavior: a seller without deliveries can show that it delivers again', () => {
  expect(plan([endpoint('a', { flags: ['no_delivery'], verdict: 'avoid', score: 10 })])).toEqual(['/a', 0])
})
