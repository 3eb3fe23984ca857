import { expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { T0, termlessListing } from '../judge/testing/facts.ts'
import { cleanUpAfterEach } from '../probe/testing/harness.ts'
import { readObservations } from '../store/observations.ts'
import { recomputeHost } from './recompute.ts'
import { answer, type Handler, pay, startSeller } from './testing/startSeller.ts'

cleanUpAfterEach()

const deliver: Handler = (_request, response) =>
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '2' }).end('{}')
const page: Handler = (_request, response) =>
  response.writeHead(200, { 'content-type': 'text/html', 'content-length': '3' }).end('<p>')

/** Starts a seller that was live for some hours. */
async function startLive() {
  const started = await startSeller()
  const { endpoint, host, store } = started
  await store.write('append', [termlessListing(T0, { endpoint, host, url: endpoint })])
  for (let probes = 0; probes < 3; probes++) await started.probe(3 * HOUR)
  return started
}

/** Probes three times, which is enough to call an endpoint dark or invalid. */
async function probeThrice({ probe }: Awaited<ReturnType<typeof startSeller>>) {
  await probe(HOUR)
  await probe(16 * MINUTE)
  return probe(16 * MINUTE)
}

test('default: rule 15: data to an unpaid call of a host that asks for payment measures nothing', async () => {
  const started = await startLive()
  const { seller, endpoint, host, store } = started
  seller.quote = deliver
  expect(await probeThrice(started)).toMatchObject({ status: 'live', verdict: 'safe', degraded: false })
  const last = (await readObservations(store, endpoint)).slice(-3)
  expect(last).toMatchObject(Array(3).fill({ outcome: 'not_measured', cause: 'free_quota', delivered: true }))
  expect(await recomputeHost(store, host)).toMatchObject([{ isEqual: true }])
  seller.quote = pay
  expect(await started.probe(HOUR)).toMatchObject({ status: 'live', verdict: 'safe' })
})

test('behavior: free quota keeps no Safe beyond 48 h, and then the endpoint is invalid', async () => {
  const started = await startLive()
  started.seller.quote = deliver
  expect(await probeThrice(started)).toMatchObject({ verdict: 'safe' })
  expect((await started.probe(2 * DAY)).verdict).not.toBe('safe')
  expect(await probeThrice(started)).toMatchObject({ status: 'invalid', verdict: 'avoid' })
})

test('behavior: endpoints that are all free cannot vouch for one another beyond 48 h', async () => {
  const started = await startLive()
  const { seller, auditor, endpoint, probe } = started
  const other = `${endpoint}/other`
  for (let probes = 0; probes < 3; probes++) {
    await auditor.probe(other)
    await probe(HOUR)
  }
  seller.quote = deliver
  for (let hours = 0; hours < 60; hours += 6) {
    await auditor.probe(other)
    await probe(6 * HOUR)
  }
  await probeThrice(started)
  expect(await probe(HOUR)).toMatchObject({ status: 'invalid' })
})

test('behavior: another live endpoint of the host makes a free one unmeasured, never safe', async () => {
  const { seller, auditor, endpoint, host, store, probe } = await startSeller()
  const other = `${endpoint}/other`
  await store.write('append', [termlessListing(T0, { endpoint: other, host, url: other })])
  seller.quote = (request, response) =>
    request.url?.startsWith('/quote/other') === true ? pay(request, response) : deliver(request, response)
  await auditor.probe(other)
  for (let probes = 0; probes < 12; probes++) {
    await auditor.probe(other)
    expect(await probe(6 * HOUR)).toMatchObject({ status: 'unmeasured', verdict: 'unknown' })
  }
})

test.each([
  ['answers every path with data', deliver, deliver],
  ['answers every path with a page', page, page],
  ['answers the endpoint with a page', page, answer(404)],
  ['answers the endpoint with nothing', answer(204), answer(404)],
])('behavior: rule 15, abuse: a host that %s is invalid', async (_, quote, elsewhere) => {
  const started = await startLive()
  Object.assign(started.seller, { quote, elsewhere })
  expect(await probeThrice(started)).toMatchObject({ status: 'invalid', verdict: 'avoid' })
})

test('behavior: a live check tells free quota as well', async () => {
  const { seller, auditor, endpoint } = await startLive()
  seller.quote = deliver
  const { observations, state } = await auditor.probeLive(endpoint)
  const own = observations.filter(({ purpose }) => purpose === 'live')
  expect(own.map(({ cause }) => cause)).toEqual(Array(3).fill('free_quota'))
  expect(state.verdict).toBe('safe')
})
