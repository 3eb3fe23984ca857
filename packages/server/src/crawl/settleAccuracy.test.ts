import type { AccuracyDay, Report } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import type { EndpointState } from '../facts/hostDocument.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { A, B, down, offer, up } from '../judge/testing/facts.ts'
import { readReports } from '../store/facts.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { aState } from '../store/testing/documents.ts'
import { aPurchase } from '../store/testing/records.ts'
import { withReads } from '../store/testing/withFaults.ts'
import { countIds } from '../testing/countIds.ts'
import { reportToday } from './report.ts'
import { createJumpClock } from './testing/jumpClock.ts'

const START = Date.UTC(2026, 5, 1)
const SHOP = 'https://shop.example/a'
const TERM = {
  x402Version: 2 as const,
  scheme: 'exact',
  network: 'eip155:8453',
  asset: offer().asset,
  payTo: A,
  amountAtomicMin: '10000',
  amountAtomicMax: '10000',
  method: 'GET',
}

/** A service whose reports are written at the start of each day. */
function setUp() {
  const store = createMemoryStore()
  const clock = createJumpClock(START)
  const ids = countIds()
  const report = () => reportToday({ store, clock, ids })
  const put = (at: number, changes: Partial<EndpointState> = {}) =>
    store.write('putEndpoint', aState({ endpoint: SHOP, derivedAt: at, terms: [TERM], ...changes }))
  /** Probes every 3 h of a day, all the same. */
  const probeDay = async (day: number, changes: Parameters<typeof up>[1] = {}, endpoint = SHOP) => {
    const { host } = new URL(endpoint)
    const times = [1, 4, 7, 10, 13, 16, 19, 22].map((hour) => START + day * DAY + hour * HOUR)
    await store.write(
      'append',
      times.map((at) => ({ ...up(at, changes), endpoint, host })),
    )
  }
  const reportOn = async (day: number): Promise<Report> => {
    clock.now = () => START + day * DAY
    await report()
    const date = new Date(START + day * DAY).toISOString().slice(0, 10)
    const made = (await readReports(store)).find((report) => report.date === date)
    return made ?? expect.fail(`no report of ${date}`)
  }
  return { store, clock, report, put, probeDay, reportOn }
}

const countOf = (report: Report, field: keyof AccuracyDay, afterDays: number): object[] | undefined =>
  report.accuracy?.[field]
    .filter((one) => one.afterDays === afterDays)
    .flatMap(({ groups }): object[] => groups)

test('default: counts what the days after a verdict showed, once each, and gives figures', async () => {
  const { put, probeDay, reportOn } = setUp()
  await put(START)
  const first = await reportOn(0)
  expect(first.accuracy).toEqual({ outcomes: [], deliveries: [] })
  for (let day = 0; day < 8; day++) {
    await probeDay(day)
    await put(START + (day + 1) * DAY)
    const report = await reportOn(day + 1)
    expect(countOf(report, 'outcomes', 1)).toEqual([
      {
        verdict: 'safe',
        band: 'excellent',
        endpoints: 1,
        domains: 1,
        measured: 1,
        live: 1,
        sameTerms: 1,
        held: 1,
        avoidAfter: 0,
        domainsMeasured: 1,
        domainsHeld: 1,
      },
    ])
    expect(countOf(report, 'outcomes', 7)).toHaveLength(day < 6 ? 0 : 1)
    expect(report.accuracyFigures?.[0]).toMatchObject({
      afterDays: 1,
      days: day + 1,
      coveragePct: 100,
      heldPct: 100,
    })
  }
})

test('behavior: another receiver, a higher price and an outage are no held verdict; a lower price and one failure are', async () => {
  const outcomes = [
    { changes: { payTo: B }, held: 0 },
    { changes: { amount: '10001' }, held: 0 },
    { changes: { amount: '9000' }, held: 1 },
  ]
  for (const { changes, held } of outcomes) {
    const { put, probeDay, reportOn } = setUp()
    await put(START)
    await reportOn(0)
    await probeDay(0, changes)
    await put(START + DAY)
    expect(countOf(await reportOn(1), 'outcomes', 1)).toMatchObject([{ measured: 1, live: 1, held }])
  }
  for (const [failures, held] of [
    [1, 1],
    [3, 0],
  ] as const) {
    const { store, put, probeDay, reportOn } = setUp()
    await put(START)
    await reportOn(0)
    await probeDay(0)
    const failed = Array.from({ length: failures }, (_, n) => down(START + (2 + n) * HOUR))
    await store.write(
      'append',
      failed.map((probe) => ({ ...probe, endpoint: SHOP, host: 'shop.example' })),
    )
    await put(START + DAY)
    expect(countOf(await reportOn(1), 'outcomes', 1)).toMatchObject([{ measured: 1, held }])
  }
})

test('behavior: an endpoint that leaves the directories, or is dropped, stays in the count of its verdict', async () => {
  const { store, put, probeDay, reportOn } = setUp()
  const gone = 'https://gone.example/a'
  await put(START)
  await store.write(
    'putEndpoint',
    aState({
      endpoint: gone,
      derivedAt: START,
      status: 'dark',
      verdict: 'avoid',
      score: 0,
      darkSince: START - 91 * DAY,
    }),
  )
  await reportOn(0)
  await probeDay(0)
  await put(START + DAY, { listedBy: [] })
  await put(START + DAY, { endpoint: 'https://other.example/a' })
  expect(await store.write('dropDead', START, START)).toBe(1)
  expect(countOf(await reportOn(1), 'outcomes', 1)).toMatchObject([
    { verdict: 'safe', endpoints: 1, held: 1 },
    { verdict: 'avoid', endpoints: 1, measured: 1, held: 0 },
  ])
})

test('behavior: an opt-out after Avoid is counted as not measured, and confirms nothing', async () => {
  const { store, put, reportOn } = setUp()
  await put(START, { verdict: 'avoid', riskLevel: 'high', flags: ['cloaked'] })
  await reportOn(0)
  const declined = { outcome: 'not_measured', cause: 'opted_out', offers: [] } as const
  await store.write('append', [{ ...up(START + HOUR, declined), endpoint: SHOP, host: 'shop.example' }])
  await put(START + 3 * DAY, {
    verdict: 'unknown',
    status: 'unmeasured',
    confirmedAt: START,
    riskLevel: 'high',
  })
  const report = await reportOn(3)
  expect(countOf(report, 'outcomes', 1)).toMatchObject([
    { verdict: 'avoid', endpoints: 1, measured: 0, held: 0, avoidAfter: 0 },
  ])
  expect(report.accuracyFigures?.[0]?.groups).toMatchObject([{ verdict: 'avoid', count: 1, heldPct: null }])
})

test('behavior: an Avoid that stands at the end is later confirmed by us; a Safe that became Avoid says so', async () => {
  const { store, put, probeDay, reportOn } = setUp()
  const thief = 'https://thief.example/a'
  await put(START)
  await store.write(
    'putEndpoint',
    aState({ endpoint: thief, derivedAt: START, verdict: 'avoid', riskLevel: 'high', terms: [TERM] }),
  )
  await reportOn(0)
  await probeDay(0)
  await probeDay(0, {}, thief)
  await put(START + DAY, { verdict: 'avoid', riskLevel: 'high' })
  await store.write(
    'putEndpoint',
    aState({ endpoint: thief, derivedAt: START + DAY, verdict: 'avoid', riskLevel: 'high', terms: [TERM] }),
  )
  const { accuracyFigures } = await reportOn(1)
  expect(accuracyFigures?.[0]?.groups).toMatchObject([
    { verdict: 'safe', avoidAfterPct: 100 },
    { verdict: 'avoid', avoidAfterPct: 100 },
  ])
})

test('behavior: purchases count once they are published, 30 days after the period', async () => {
  const { store, put, reportOn } = setUp()
  await put(START)
  await reportOn(0)
  const bought = { ...aPurchase(), endpoint: SHOP, host: 'shop.example', settled: true }
  await store.write('append', [
    { ...bought, id: 'p1', at: START + HOUR, delivered: true },
    { ...bought, id: 'p2', at: START + 2 * HOUR, delivered: false },
  ])
  for (const day of [1, 30]) {
    await put(START + day * DAY)
    const report = await reportOn(day)
    expect(countOf(report, 'deliveries', 1)).toEqual([])
    expect(report.accuracyFigures?.[0]?.groups[0]).toMatchObject({ bought: 0, delivered: 0 })
  }
  await put(START + 31 * DAY)
  const report = await reportOn(31)
  expect(countOf(report, 'deliveries', 1)).toEqual([
    { verdict: 'safe', band: 'excellent', bought: 1, delivered: 0 },
  ])
  expect(report.accuracyFigures?.[0]?.groups[0]).toMatchObject({ bought: 1, delivered: 0 })
})

test('behavior: a day is counted once, over restarts and by two processes that lead at once', async () => {
  const { store, put, probeDay, reportOn, report } = setUp()
  await put(START)
  await reportOn(0)
  await probeDay(0)
  await put(START + DAY)
  await reportOn(1)
  const written = await readReports(store)
  await report()
  // The other process did not see the report yet.
  await reportToday({
    store: withReads(store, 'report', (rows) => rows.slice(0, 1)),
    clock: createJumpClock(START + DAY),
    ids: countIds(),
  })
  expect(await readReports(store)).toEqual(written)
  await put(START + 2 * DAY)
  const next = await reportOn(2)
  const dates = next.accuracy?.outcomes.flatMap(({ afterDays, date }) => (afterDays === 1 ? [date] : []))
  expect(dates).toEqual(['2026-06-02'])
})

test('behavior: a clock that jumps ahead and back ends no period and counts none twice', async () => {
  const { put, probeDay, reportOn } = setUp()
  await put(START)
  await reportOn(0)
  expect((await reportOn(40)).accuracy).toEqual({ outcomes: [], deliveries: [] })
  await probeDay(0)
  await put(START + DAY)
  const back = await reportOn(1)
  expect(countOf(back, 'outcomes', 1)).toMatchObject([{ endpoints: 1, held: 1 }])
  await probeDay(1)
  await put(START + 2 * DAY)
  expect((await reportOn(2)).accuracy?.outcomes.map(({ date }) => date)).toEqual(['2026-06-02'])
})

test('behavior: an outage of ours over the end of a period leaves it open until the crawl runs again', async () => {
  const { put, probeDay, reportOn } = setUp()
  await put(START)
  await reportOn(0)
  await probeDay(0)
  expect((await reportOn(5)).accuracy?.outcomes).toEqual([])
  await put(START + 6 * DAY)
  expect(countOf(await reportOn(6), 'outcomes', 1)).toMatchObject([
    { verdict: 'safe', endpoints: 1, held: 1 },
    { verdict: 'unknown', endpoints: 1, measured: 0 },
  ])
})

test('behavior: reports from before the verdicts were kept count nothing', async () => {
  const { store, put, reportOn } = setUp()
  await put(START)
  const { accuracy: _, accuracyFigures: __, ...old } = await reportOn(0)
  await store.write('append', [{ kind: 'report', id: 'old', at: START + 1, report: old }])
  await put(START + DAY)
  expect((await reportOn(1)).accuracy?.outcomes).toEqual([])
})
