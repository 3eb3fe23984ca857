import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createMetrics, type Metrics } from './metrics.ts'

async function read(metrics: Metrics, path = '/metrics') {
  const server = createServer(metrics.listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return fetch(`http://127.0.0.1:${address.port}${path}`)
}

const REQUEST = {
  route: '/verify',
  method: 'GET',
  status: 200,
  durationMs: 3,
  fromMemory: false,
  isAborted: false,
}

test('default', async () => {
  const metrics = createMetrics()
  metrics.request(REQUEST)
  metrics.request({ ...REQUEST, fromMemory: true })
  metrics.request({ ...REQUEST, method: 'EVIL"} 1', status: 405 })
  metrics.request({ ...REQUEST, isAborted: true })
  metrics.sale({ operation: 'trust', outcome: 'sold' })
  metrics.paymentFault({ step: 'settle' })
  metrics.probe({ purpose: 'scheduled', outcome: 'up' })
  metrics.webhookAttempt({ outcome: 'delivered' })
  const response = await read(metrics)
  expect(response.headers.get('content-type')).toContain('text/plain')
  const text = await response.text()
  for (const line of [
    'touchstone_http_requests_total{route="/verify",method="GET",status="2xx",memory="false"} 1',
    'touchstone_http_requests_total{route="/verify",method="GET",status="2xx",memory="true"} 1',
    'touchstone_http_requests_total{route="/verify",method="other",status="4xx",memory="false"} 1',
    'touchstone_http_requests_total{route="/verify",method="GET",status="aborted",memory="false"} 1',
    'touchstone_http_request_seconds_count{route="/verify"} 3',
    'touchstone_paid_calls_total{operation="trust",outcome="sold"} 1',
    'touchstone_payment_faults_total{step="settle"} 1',
    'touchstone_probes_total{purpose="scheduled",outcome="up"} 1',
    'touchstone_webhook_attempts_total{outcome="delivered"} 1',
  ]) {
    expect(text.split('\n')).toContain(line)
  }
  expect(text).toContain('nodejs_eventloop_lag_seconds')
})

test('behavior: reads gauges and totals at each scrape', async () => {
  const metrics = createMetrics()
  let age = 5
  let claims: Record<string, number> = { settled: 1, unknown: 2 }
  metrics.gauge('crawl_age_seconds', 'Age.', () => age)
  metrics.total('reads_total', 'Reads.', () => 10 * age)
  metrics.gaugeBy('claims', 'Claims.', 'state', async () => claims)
  expect(await (await read(metrics)).text()).toContain('touchstone_claims{state="unknown"} 2')
  age = 7
  claims = { settled: 3 }
  const text = await (await read(metrics)).text()
  expect(text).toContain('touchstone_crawl_age_seconds 7')
  expect(text).toContain('# TYPE touchstone_reads_total counter\ntouchstone_reads_total 70')
  expect(text).toContain('touchstone_claims{state="settled"} 3')
  expect(text).not.toContain('unknown')
})

test('error: answers 503 if a gauge fails, and 404 for other paths', async () => {
  const metrics = createMetrics()
  metrics.gauge('broken', 'Broken.', () => Promise.reject(new Error('no store')))
  expect((await read(metrics)).status).toBe(503)
  expect((await read(metrics, '/')).status).toBe(404)
})
