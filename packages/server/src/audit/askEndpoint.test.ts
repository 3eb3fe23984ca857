import { expect, test } from 'vitest'
import { systemClock } from '../lib/clock.ts'
import { createMetrics } from '../lib/metrics.ts'
import { cleanUpAfterEach, serve, start } from '../probe/testing/harness.ts'
import { countIds } from '../testing/countIds.ts'
import { askEndpoint } from './askEndpoint.ts'
import { QUIET } from './testing/quiet.ts'

cleanUpAfterEach()

test('behavior: counts every probe by purpose and outcome', async () => {
  const port = await serve((_request, response) => response.writeHead(404).end())
  const metrics = createMetrics()
  const ctx = { prober: start([port]), clock: systemClock, ids: countIds(), metrics }
  const url = `http://shop.test:${port}/quote`
  const target = {
    endpoint: url,
    host: `shop.test:${port}`,
    url,
    body: null,
    client: 0,
    purpose: 'live',
  } as const
  await askEndpoint(ctx, { ...target, methods: ['GET', 'POST'], declaresInput: true })
  await askEndpoint(ctx, { ...target, methods: ['GET'], declaresInput: false })
  const metricsPort = await serve(metrics.listener)
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  expect(text).toContain('touchstone_probes_total{purpose="live",outcome="down"} 1')
  expect(text).toContain('touchstone_probes_total{purpose="live",outcome="not_measured"} 2')
})

test('behavior: a probe that has no time left starts no further request', async () => {
  const methods: string[] = []
  const port = await serve((request, response) => {
    methods.push(`${request.method}`)
    response.writeHead(405).end()
  })
  const ctx = { ...QUIET, prober: start([port]), clock: systemClock, ids: countIds() }
  const url = `http://shop.test:${port}/quote`
  const target = { endpoint: url, host: `shop.test:${port}`, url, body: null, declaresInput: true }
  const ask = { ...target, client: 0, purpose: 'scheduled', methods: ['GET', 'POST'] } as const
  expect(await askEndpoint(ctx, { ...ask, mayStart: () => false })).toMatchObject({ method: 'GET' })
  expect(methods).toEqual(['GET'])
  await askEndpoint(ctx, { ...ask, mayStart: () => true })
  expect(methods).toEqual(['GET', 'GET', 'POST'])
})
