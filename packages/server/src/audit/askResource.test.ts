import { encodeBase64Json } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { HOUR } from '../facts/times.ts'
import { T0, termlessListing } from '../judge/testing/facts.ts'
import { challengeV2, cleanUpAfterEach } from '../probe/testing/harness.ts'
import { recomputeHost } from './recompute.ts'
import { type Handler, startSeller } from './testing/startSeller.ts'

cleanUpAfterEach()

/** Serves an endpoint whose challenge names a URL, and that URL, on one port. */
async function startMoved(named: string, old: Handler, robots = '') {
  const started = await startSeller()
  const { port } = new URL(started.endpoint)
  const asked: string[] = []
  const url = `http://${named}:${port}/quote-of-old`
  started.seller.quote = (request, response) => {
    const hostname = request.headers.host?.split(':')[0]
    if (request.url === '/quote-of-old') {
      asked.push(`${request.method} ${hostname}`)
      return old(request, response)
    }
    const challenge = { ...challengeV2(), resource: { url } }
    return response.writeHead(402, { 'payment-required': encodeBase64Json(challenge) }).end('{}')
  }
  started.seller.robots = robots
  return { ...started, asked }
}

const redirectTo =
  (location: (host: string) => string): Handler =>
  (request, response) =>
    response.writeHead(308, { location: location(request.headers.host?.split(':')[1] ?? '') }).end()

const moved = redirectTo((port) => `http://shop.test:${port}/quote?moved=1`)

test('default: a named URL that redirects to the endpoint is of its site, and recomputes', async () => {
  const { probe, asked, endpoint, host, store } = await startMoved('old-name.test', moved)
  await store.write('append', [termlessListing(T0, { endpoint, host, url: endpoint, declaresOutput: false })])
  await probe(3 * HOUR)
  const state = await probe(3 * HOUR)
  expect(state).toMatchObject({ flags: ['unverifiable'], resourceHosts: ['old-name.test'] })
  expect(state.scored.conformance.foreignResource).toBe(false)
  expect(asked).toEqual(['GET old-name.test'])
  expect(await recomputeHost(store, host)).toMatchObject([{ isEqual: true }])
})

test('behavior: the named URL is asked at most once a day, and its last answer counts until then', async () => {
  let isMoved = true
  const old: Handler = (request, response) =>
    isMoved ? moved(request, response) : response.writeHead(404).end()
  const { probe, asked } = await startMoved('old-name.test', old)
  await probe(3 * HOUR)
  isMoved = false
  for (let probes = 0; probes < 7; probes++) expect((await probe(3 * HOUR)).resourceHosts).toBeDefined()
  expect(asked).toHaveLength(1)
  for (let probes = 0; probes < 2; probes++) await probe(3 * HOUR)
  expect((await probe(3 * HOUR)).flags).toContain('resource_mismatch')
  expect(asked).toHaveLength(2)
})

test.each<[string, Handler]>([
  ['answers', (_request, response) => response.writeHead(200).end('ok')],
  ['redirects to another path', redirectTo((port) => `http://shop.test:${port}/other`)],
  ['redirects to another host', redirectTo((port) => `http://thief.test:${port}/quote`)],
  ['redirects to no URL', redirectTo(() => 'http://')],
])('error: a named URL that %s is foreign', async (_, old) => {
  const { probe, asked } = await startMoved('bank.test', old)
  await probe(3 * HOUR)
  const state = await probe(3 * HOUR)
  expect(state.flags).toContain('resource_mismatch')
  expect(state.resourceHosts).toBeUndefined()
  expect(asked).toHaveLength(1)
})

test('error: a host that declines probes is not asked', async () => {
  const { probe, asked } = await startMoved(
    'bank.test',
    moved,
    'User-agent: Touchstone\nDisallow: /quote-of-old',
  )
  await probe(3 * HOUR)
  expect((await probe(3 * HOUR)).flags).toContain('resource_mismatch')
  expect(asked).toEqual([])
})

test('error: a private address is never asked, and stays foreign', async () => {
  const { probe, seller } = await startMoved('bank.test', moved)
  seller.quote = (_request, response) => {
    const challenge = { ...challengeV2(), resource: { url: `http://10.0.0.1.nip.test:1/quote` } }
    return response.writeHead(402, { 'payment-required': encodeBase64Json(challenge) }).end('{}')
  }
  await probe(3 * HOUR)
  expect((await probe(3 * HOUR)).flags).toContain('resource_mismatch')
})
