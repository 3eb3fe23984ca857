import { expect, test } from 'vitest'
import { reportToday } from '../crawl/report.ts'
import { createJumpClock } from '../crawl/testing/jumpClock.ts'
import type { Fact } from '../facts/facts.ts'
import type { EndpointState, HostDocument } from '../facts/hostDocument.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { putHosts } from '../readModel/testing/putHosts.ts'
import { readReports } from '../store/facts.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { aChange, anIncident, documentOf, NOON } from '../store/testing/records.ts'
import { countIds } from '../testing/countIds.ts'
import { describeReport } from './report.ts'
import { describeTally } from './tally.ts'

const host = (name: string, changes: Partial<EndpointState> = {}): HostDocument => {
  const document = documentOf(name, NOON)
  return { ...document, endpoints: document.endpoints.map((endpoint) => ({ ...endpoint, ...changes })) }
}

const report = async (hosts: readonly HostDocument[], now = NOON, facts: readonly Fact[] = []) => {
  const store = createMemoryStore()
  await putHosts(store, ...hosts)
  await store.write('append', facts)
  await reportToday({ store, clock: createJumpClock(now), ids: countIds() })
  const [made] = await readReports(store)
  if (made === undefined) throw new Error('no report was made')
  return made
}

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
    hostsByVerdict: { safe: 1, caution: 1, avoid: 2, unknown: 0 },
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
  const incidents = [
    anIncident({ id: 'i1', detectedAt: at(NOON - 2 * DAY) }),
    anIncident({ id: 'i2', detectedAt: at(NOON - HOUR), status: 'resolved' }),
    anIncident({ id: 'i3', detectedAt: at(NOON - DAY), status: 'resolved' }),
  ]
  const published = [aChange({ at: at(NOON - HOUR) }), aChange({ id: 'c2', at: at(NOON - 25 * HOUR) })]
  const facts: Fact[] = [
    ...incidents.map((incident) => ({ kind: 'incident' as const, id: incident.id, at: NOON, incident })),
    ...published.map((change) => ({ kind: 'change' as const, id: change.id, at: NOON, change })),
  ]
  const { incidentsOpen, incidentsNew, changes, summary } = await report([host('a.example')], NOON, facts)
  expect([incidentsOpen, incidentsNew, changes.payto_swap, changes.price_jump]).toEqual([1, 1, 1, 0])
  expect(summary).toBe(
    'Services known: 1. Of 1 endpoints 1 are live, 0 dark, 0 without a valid challenge and 0 not measured; 1 are safe to pay. ' +
      'The median price is $0.001 a call. Open incidents: 1.',
  )
})

test('behavior: reports zeros and no median price without hosts', () => {
  const nothing = {
    tookMs: 0,
    endpoints: [],
    prices: [],
    hosts: [],
    firstSeen: null,
    receivers: 0,
    providers: [],
    healthy: [],
  }
  const tally = describeTally({ at: NOON, ...nothing })
  const empty = describeReport({ tally, incidents: { open: 0, recent: 0 }, changes: [] })
  expect(empty).toMatchObject({ tracked: 0, deadPct: 0, medianPriceUsd: null, directories: [] })
})
