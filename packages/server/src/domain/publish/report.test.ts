import { expect, test } from 'vitest'
import { aChange, anIncident, documentOf, NOON } from '../../adapters/store/testing/records.ts'
import type { EndpointState, HostDocument } from '../facts/hostDocument.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { describeReport } from './report.ts'
import { tallyHosts } from './tally.ts'

const host = (name: string, changes: Partial<EndpointState> = {}): HostDocument => {
  const document = documentOf(name, NOON)
  return { ...document, endpoints: document.endpoints.map((endpoint) => ({ ...endpoint, ...changes })) }
}

const report = async (hosts: readonly HostDocument[], now = NOON) =>
  describeReport({ tally: await tallyHosts(hosts, now, () => undefined), incidents: [], changes: [] })

test('default', async () => {
  const hosts = [
    host('a.example', { priceUsd: 0.01 }),
    host('b.example', { priceUsd: 0.03, verdict: 'caution', riskLevel: 'medium', flags: ['price_high'] }),
    host('c.example', { priceUsd: 9, status: 'dark', verdict: 'avoid', score: 0 }),
    host('d.example', { priceUsd: null, status: 'invalid', verdict: 'avoid', score: 0 }),
  ]
  expect(await report(hosts)).toMatchObject({
    date: '2026-06-01',
    asOf: '2026-06-01T12:00:00.000Z',
    hosts: 4,
    tracked: 4,
    live: 2,
    dead: 1,
    invalid: 1,
    unmeasured: 0,
    deadPct: 25,
    medianPriceUsd: 0.02,
    riskByLevel: { clean: 3, low: 0, medium: 1, high: 0 },
    byVerdict: { safe: 1, caution: 1, avoid: 2, unknown: 0 },
    flagCounts: { price_high: 1 },
    directories: [{ directory: 'bazaar', listed: 4, claimedHealthy: 4, working: 2, accuracyPct: 50 }],
  })
})

test('behavior: expired endpoints are unmeasured and do not count for the median price', async () => {
  expect(await report([host('a.example')], NOON + 49 * HOUR)).toMatchObject({
    tracked: 1,
    live: 0,
    unmeasured: 1,
    medianPriceUsd: null,
    byVerdict: { safe: 0, unknown: 1 },
  })
})

test('behavior: counts incidents while open, and new ones for a day', async () => {
  const at = (time: number) => new Date(time).toISOString()
  const { incidentsOpen, incidentsNew, changes, summary } = describeReport({
    tally: await tallyHosts([host('a.example')], NOON, () => undefined),
    incidents: [
      anIncident({ id: 'i1', detectedAt: at(NOON - 2 * DAY) }),
      anIncident({ id: 'i2', detectedAt: at(NOON - HOUR), status: 'resolved' }),
    ],
    changes: [aChange({ at: at(NOON - HOUR) }), aChange({ id: 'c2', at: at(NOON - 25 * HOUR) })],
  })
  expect([incidentsOpen, incidentsNew, changes.payto_swap, changes.price_jump]).toEqual([1, 1, 1, 0])
  expect(summary).toBe(
    'Of 1 endpoints on 1 hosts 1 are live, 0 dark, 0 without a valid challenge and 0 not measured; 1 are safe to pay. ' +
      'The median price is $0.001 a call. Open incidents: 1.',
  )
})

test('behavior: reports zeros and no median price without hosts', async () => {
  expect(await report([])).toMatchObject({ tracked: 0, deadPct: 0, medianPriceUsd: null, directories: [] })
})
