import type { IncomingMessage } from 'node:http'
import { encodeBase64Json } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import type { Listing } from '../facts/facts.ts'
import { HOUR } from '../facts/times.ts'
import { termlessListing } from '../judge/testing/facts.ts'
import { cleanUpAfterEach } from '../probe/testing/harness.ts'
import { answer, challengeFor, type Handler, pay, startSeller } from './testing/startSeller.ts'

cleanUpAfterEach()

/** Starts a seller that directories list. `rival` lists it with another receiver, `own` is a document of the host. */
async function startListed(quote: Handler) {
  const started = await startSeller()
  const { seller, endpoint, host, store, now, probe } = started
  seller.quote = quote
  let ids = 0
  const list = (changes: Partial<Listing>) =>
    store.write('append', [
      termlessListing(now(), { endpoint, host, url: endpoint, id: `l${ids++}`, ...changes }),
    ])
  const rival = (changes: Partial<Listing>) =>
    list({ directory: 'bazaar', ownClaim: false, declaresInput: true, ...changes })
  const own = (changes: Partial<Listing>) =>
    list({ directory: 'host', ownClaim: true, declaresInput: false, ...changes })
  /** Probes eight times over a day, and returns the last state. */
  const probeForADay = async () => {
    for (let probes = 0; probes < 7; probes++) await probe(3 * HOUR)
    return probe(3 * HOUR)
  }
  return { ...started, rival, own, probeForADay }
}

/** Asks for payment at one method, and answers others with a status. */
const payAt =
  (method: string, others: number, isPaid = (_request: IncomingMessage) => true): Handler =>
  (request, response) =>
    request.method === method && isPaid(request) ? pay(request, response) : answer(others)(request, response)

const HONEST = { status: 'live', verdict: 'safe', degraded: false }

test.each(['PUT', 'PATCH', 'DELETE'])(
  'rule 9: %s is never sent for a listing that is not the host’s',
  async (method) => {
    const { seller, rival, probeForADay } = await startListed(payAt('GET', 405))
    await rival({ method, body: '{"all":true}' })
    expect(await probeForADay()).toMatchObject({ ...HONEST, method: 'GET' })
    expect(new Set(seller.asked)).toEqual(new Set(['GET /quote']))
    // Not even where nothing else is answered.
    seller.quote = answer(405)
    expect(await probeForADay()).toMatchObject({ status: 'live' })
    expect(new Set(seller.asked)).toEqual(new Set(['GET /quote', 'POST /quote']))
  },
)

test('rule 9: a method that changes something is sent while the host’s own document declares it', async () => {
  const { seller, own, rival, probe, probeForADay } = await startListed(payAt('PUT', 405))
  await own({ method: 'PUT' })
  expect(await probeForADay()).toMatchObject({ ...HONEST, method: 'PUT' })
  expect(new Set(seller.asked)).toEqual(new Set(['PUT /quote']))
  await own({ method: 'POST' })
  await rival({ method: 'PUT' })
  seller.asked.length = 0
  await probe(3 * HOUR)
  expect(seller.asked).not.toContain('PUT /quote')
})

test.each([
  ['a method that it answers with a fault', { method: 'POST', body: '{"q":1}' }, payAt('GET', 500)],
  ['a method that its filter blocks', { method: 'POST' }, payAt('GET', 403)],
  ['a method that it does not know', { method: 'POST' }, payAt('GET', 404)],
  ['the method of a free page', { method: 'GET' }, payAt('POST', 200)],
  ['no body', { method: 'HEAD' }, payAt('GET', 405)],
])('abuse of rule 9: a rival lists an honest seller with %s', async (_, changes, quote) => {
  const { seller, rival, probeForADay } = await startListed(quote)
  await rival(changes)
  expect(await probeForADay()).toMatchObject(HONEST)
  // The request that worked is asked first from then on.
  expect(seller.asked.length).toBeLessThanOrEqual(8 + 2)
})

test('abuse of rule 9: a rival lists a query that costs more, or that hangs', async () => {
  const { seller, endpoint, rival, probeForADay } = await startListed((request, response) => {
    const challenge = challengeFor(request)
    const [offer] = challenge.accepts
    const isDear = request.url?.includes('tier=all')
    const accepts = [{ ...offer, amount: isDear ? '9000000' : '10000' }]
    const header = encodeBase64Json({ ...challenge, accepts })
    return response.writeHead(402, { 'payment-required': header }).end('{}')
  })
  await rival({ url: `${endpoint}?tier=all` })
  expect(await probeForADay()).toMatchObject({ ...HONEST, priceUsd: 0.01 })
  expect(new Set(seller.asked)).toEqual(new Set(['GET /quote']))
})

test('abuse of rule 9: input that a rival invents does not turn a seller that checks its input dark', async () => {
  const isWhole = ({ headers }: IncomingMessage) => Number(headers['content-length']) > 10
  const { seller, endpoint, own, rival, probe, probeForADay } = await startListed(payAt('POST', 400, isWhole))
  await rival({ method: 'POST', body: '{"bad":1}' })
  for (let probes = 0; probes < 15; probes++) expect((await probe(3 * HOUR)).status).not.toBe('dark')
  await own({ method: 'POST', body: '{"q":"tea","n":1}', declaresInput: true })
  expect(await probeForADay()).toMatchObject({ ...HONEST, method: 'POST' })
  seller.asked.length = 0
  await rival({ method: 'GET', url: `${endpoint}?q=other` })
  await probe(3 * HOUR)
  expect(seller.asked).toEqual(['POST /quote'])
})

test('rule 9: the sample of a listing reaches a seller that declares no input itself, after GET and POST', async () => {
  const isWhole = ({ headers }: IncomingMessage) => Number(headers['content-length']) > 10
  const { seller, rival, probe, probeForADay } = await startListed(payAt('POST', 400, isWhole))
  await rival({ method: 'POST', body: '{"q":"tea","n":1}' })
  await probe(0)
  expect(seller.asked).toEqual(['GET /quote', 'POST /quote', 'POST /quote'])
  expect(await probeForADay()).toMatchObject({ ...HONEST, method: 'POST' })
  expect(seller.asked).toHaveLength(3 + 8)
})

test.each([404, 405])('rule 9: GET and POST were tried before a route is dark by %i', async (status) => {
  const { seller, own, probeForADay, probe } = await startListed(payAt('PUT', 405))
  await own({ method: 'PUT', declaresInput: true })
  await probeForADay()
  seller.quote = answer(status)
  seller.asked.length = 0
  for (let probes = 0; probes < 8; probes++) await probe(4 * HOUR)
  expect(await probe(HOUR)).toMatchObject({ status: 'dark', verdict: 'avoid' })
  expect(new Set(seller.asked)).toEqual(new Set(['PUT /quote', 'GET /quote', 'POST /quote']))
})

test('behavior: a page on GET is no proof against a seller whose POST wants other input', async () => {
  const { probe } = await startListed((request, response) =>
    answer(request.method === 'GET' ? 200 : 422)(request, response),
  )
  for (let probes = 0; probes < 8; probes++) expect((await probe(3 * HOUR)).verdict).toBe('unknown')
})

test('behavior: a page on GET, and no handler of another method, is invalid', async () => {
  const { probe } = await startListed((request, response) =>
    answer(request.method === 'GET' ? 200 : 405)(request, response),
  )
  for (let probes = 0; probes < 8; probes++) await probe(3 * HOUR)
  expect(await probe(HOUR)).toMatchObject({ status: 'invalid', verdict: 'avoid' })
})

test('abuse of rule 9: a rival lists HEAD, by which a challenge in the body cannot be read', async () => {
  const { seller, rival, probe } = await startListed((request, response) =>
    request.method === 'HEAD' ? response.writeHead(402).end() : answer(400)(request, response),
  )
  await rival({ method: 'HEAD' })
  for (let probes = 0; probes < 8; probes++) expect((await probe(3 * HOUR)).verdict).toBe('unknown')
  expect(new Set(seller.asked)).toEqual(new Set(['GET /quote', 'POST /quote']))
})

test('behavior: a challenge that cannot be read is invalid, whatever other methods answer', async () => {
  const { probe } = await startListed((request, response) =>
    request.method === 'POST'
      ? response.writeHead(402).end('{"x402Version":1,"accepts":[{"scheme":7}]}')
      : answer(400)(request, response),
  )
  for (let probes = 0; probes < 8; probes++) await probe(3 * HOUR)
  expect(await probe(HOUR)).toMatchObject({ status: 'invalid', verdict: 'avoid' })
})
