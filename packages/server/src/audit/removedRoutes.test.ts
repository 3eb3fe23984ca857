import { expect, test } from 'vitest'
import { HOUR, MINUTE } from '../facts/times.ts'
import { T0, termlessListing } from '../judge/testing/facts.ts'
import { cleanUpAfterEach } from '../probe/testing/harness.ts'
import { recomputeHost } from './recompute.ts'
import { answer, pay, startSeller } from './testing/startSeller.ts'

cleanUpAfterEach()

test('default: a removed route goes dark within the hour, and recomputes', async () => {
  const { seller, endpoint, host, store, probe } = await startSeller()
  await store.write('append', [termlessListing(T0, { endpoint, host, url: endpoint })])
  for (let probes = 0; probes < 3; probes++) await probe(3 * HOUR)
  seller.quote = answer(404)
  expect(await probe(3 * HOUR)).toMatchObject({ status: 'live', degraded: true })
  expect(await probe(16 * MINUTE)).toMatchObject({ status: 'live', degraded: true })
  expect(await probe(16 * MINUTE)).toMatchObject({ status: 'dark', verdict: 'avoid', score: 0 })
  expect(await recomputeHost(store, host)).toMatchObject([{ isEqual: true }])
})

test('behavior: a route that a seller moved to another method stays live', async () => {
  const { seller, endpoint, host, store, probe, now } = await startSeller()
  await store.write('append', [
    termlessListing(now(), { endpoint, host, url: `${endpoint}?city=Lisbon`, method: 'GET' }),
  ])
  for (let probes = 0; probes < 3; probes++) await probe(3 * HOUR)
  // The directory still lists GET; the host's own OpenAPI declares POST.
  seller.quote = (request, response) =>
    request.method === 'POST' ? pay(request, response) : answer(405)(request, response)
  const operation = {
    'x-payment-info': { price: '0.01' },
    responses: { 402: { description: 'Payment required' } },
  }
  seller.openApi = JSON.stringify({ openapi: '3.0.0', info: {}, paths: { '/quote': { post: operation } } })
  for (let probes = 0; probes < 6; probes++)
    expect(await probe(3 * HOUR)).toMatchObject({
      status: 'live',
      verdict: 'safe',
      degraded: false,
      method: 'POST',
    })
})

/** Declares the methods at a price, with the sample `{ q: 'x' }` for those with a body. */
const declare = (...methods: readonly string[]) => {
  const schema = { type: 'object', required: ['q'], properties: { q: { type: 'string', example: 'x' } } }
  const requestBody = { content: { 'application/json': { schema } } }
  const operations = methods.map((method) => [
    method,
    { 'x-payment-info': { price: '0.01' }, ...(method !== 'get' && { requestBody }) },
  ])
  return JSON.stringify({ openapi: '3.0.0', paths: { '/quote': Object.fromEntries(operations) } })
}

test('behavior: asks all that a host declares, past a free route of another method', async () => {
  const { seller, endpoint, host, store, probe, now } = await startSeller()
  await store.write('append', [
    termlessListing(now(), { endpoint, host, url: endpoint, method: 'POST', declaresInput: true }),
  ])
  for (let probes = 0; probes < 3; probes++) await probe(3 * HOUR)
  seller.openApi = declare('get', 'post')
  seller.quote = (request, response) => {
    if (request.method === 'GET') return answer(200)(request, response)
    const isSample = request.headers['content-length'] === `${JSON.stringify({ q: 'x' }).length}`
    return isSample ? pay(request, response) : answer(400)(request, response)
  }
  for (let probes = 0; probes < 6; probes++)
    expect(await probe(3 * HOUR)).toMatchObject({ status: 'live', verdict: 'safe', degraded: false })
})

test.each([
  ['all declared requests were refused', ['get', 'post'], 400, 'avoid'],
  ['it declares more requests than are asked', ['get', 'post', 'put', 'patch'], 400, 'unknown'],
  ['a declared request was answered 403', ['get', 'post'], 403, 'unknown'],
] as const)('behavior: a refused input where %s', async (_, methods, toGet, verdict) => {
  const { seller, endpoint, host, store, probe, now } = await startSeller()
  await store.write('append', [
    termlessListing(now(), { endpoint, host, url: endpoint, method: 'POST', declaresInput: true }),
  ])
  for (let probes = 0; probes < 3; probes++) await probe(3 * HOUR)
  seller.openApi = declare(...methods)
  seller.quote = (request, response) => answer(request.method === 'GET' ? toGet : 400)(request, response)
  for (let probes = 0; probes < 15; probes++) await probe(4 * HOUR)
  expect((await probe(MINUTE)).verdict).toBe(verdict)
})

test.each([
  ['a route that refuses the declared input goes dark after half a day', true, 'avoid'],
  ['a seller that began to check input that it does not declare is unknown in the end', false, 'unknown'],
])('behavior: %s', async (_, declaresInput, verdict) => {
  const { seller, endpoint, host, store, probe, now } = await startSeller()
  await store.write('append', [termlessListing(now(), { endpoint, host, url: endpoint, declaresInput })])
  for (let probes = 0; probes < 3; probes++) await probe(3 * HOUR)
  seller.quote = answer(400)
  for (let probes = 0; probes < 3; probes++) await probe(3 * HOUR)
  expect(await probe(HOUR)).toMatchObject({ status: 'live', verdict: 'caution', doubtful: true })
  for (let probes = 0; probes < 12; probes++) await probe(4 * HOUR)
  expect((await probe(MINUTE)).verdict).toBe(verdict)
})

test('behavior: asks the request that worked before beside a new listing that finds nothing', async () => {
  const { seller, endpoint, host, store, probe, now } = await startSeller()
  const url = `${endpoint}?id=1`
  const listed = { endpoint, host, url, method: 'GET' }
  await store.write('append', [termlessListing(now(), listed)])
  await probe(HOUR)
  await store.write('append', [termlessListing(now(), { ...listed, id: 'l2', url: `${endpoint}?id=2` })])
  seller.quote = (request, response) =>
    request.url?.endsWith('id=1') === true ? pay(request, response) : answer(404)(request, response)
  seller.asked.length = 0
  for (let probes = 0; probes < 4; probes++)
    expect(await probe(HOUR)).toMatchObject({ status: 'live', verdict: 'safe', degraded: false })
  expect(new Set(seller.asked)).toEqual(new Set(['GET /quote?id=2', 'GET /quote?id=1']))
})
