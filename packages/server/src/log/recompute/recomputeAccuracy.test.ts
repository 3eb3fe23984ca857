import type { LogReader } from '@touchstone402/guard/log'
import { expect, test } from 'vitest'
import { reportToday } from '../../crawl/report.ts'
import { createJumpClock } from '../../crawl/testing/jumpClock.ts'
import type { EndpointState } from '../../facts/hostDocument.ts'
import { DAY, HOUR, toDate } from '../../facts/times.ts'
import { A, B, listing, offer, up } from '../../judge/testing/facts.ts'
import { decisionLeaf, purchaseLeaf } from '../../publish/leaves.ts'
import { readState } from '../../store/endpoints.ts'
import { readReports } from '../../store/facts.ts'
import { readLeaves, readLogSize } from '../../store/log.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { aState } from '../../store/testing/documents.ts'
import { aPurchase } from '../../store/testing/records.ts'
import { countIds } from '../../testing/countIds.ts'
import { listDay, listInputs } from '../listDay.ts'
import { logDay } from '../logDays.ts'
import { describeRecomputedAccuracy, isAccurate } from './describeAccuracy.ts'
import { recomputeAccuracy } from './recomputeAccuracy.ts'

const START = Date.UTC(2026, 5, 1)
const HONEST = 'https://honest.example/a'
const THIEF = 'https://thief.example/a'
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
const newSalt = () => Buffer.alloc(16).toString('base64')

/** A service with a log, and a stranger who reads it. */
async function setUp() {
  const store = createMemoryStore()
  const clock = createJumpClock(START)
  const probeUntil = START + 2 * DAY
  const put = async (endpoint: string, at: number, changes: Partial<EndpointState> = {}) => {
    const before = (await readState(store, endpoint))?.state
    const state = aState({
      endpoint,
      derivedAt: at,
      terms: [TERM],
      listings: [listing(START, { endpoint, host: new URL(endpoint).host })],
      ...changes,
    })
    const leaf = decisionLeaf(before, state, newSalt)
    await store.write('putEndpoint', state, { facts: [], days: [], leaves: leaf === undefined ? [] : [leaf] })
  }
  const probe = (endpoint: string, at: number, payTo = A) =>
    store.write('append', [{ ...up(at, { payTo }), endpoint, host: new URL(endpoint).host }])
  const ids = countIds()
  const report = async (day: number) => {
    clock.now = () => START + day * DAY
    await reportToday({ store, clock, ids })
  }
  const logDays = async (days: number) => {
    for (let day = 0; day < days; day++) {
      clock.now = () => START + (day + 1) * DAY + HOUR
      await logDay({ store, clock, newSalt }, toDate(START + day * DAY), new AbortController().signal)
    }
    await store.write('sequenceLeaves', 1000)
  }
  const reader = {
    checkpoint: async () => ({ origin: '', size: await readLogSize(store), root: new Uint8Array() }),
    async *entries() {
      const leaves = await readLeaves(store, 0, await readLogSize(store))
      for (const [index, { leaf, opening }] of leaves.entries())
        yield { index, leaf: Buffer.from(leaf), opening: opening === null ? null : Buffer.from(opening) }
    },
  } as unknown as LogReader
  const get = async (path: string) => {
    const [, , folder, date = '', host = ''] = path.split('/')
    const lines = (folder === 'days' ? listDay : listInputs)(store, host, date)
    let body = ''
    for await (const line of lines) body += line
    return Buffer.from(body)
  }
  const reportsSince = (since: string) => readReports(store, since)
  const recompute = (afterDays: 1 | 7 | 30 = 1, date?: string) =>
    recomputeAccuracy({ reader, get, readReports: reportsSince, afterDays, date })

  // An honest seller, and one who swaps its receiver on the second day.
  for (const endpoint of [HONEST, THIEF]) {
    await probe(endpoint, START + HOUR)
    await put(endpoint, START + HOUR)
  }
  await report(1)
  for (let at = probeUntil - DAY + HOUR; at < probeUntil; at += 3 * HOUR) {
    await probe(HONEST, at)
    await probe(THIEF, at, B)
    await put(HONEST, at)
    await put(
      THIEF,
      at,
      at > probeUntil - 12 * HOUR ? { verdict: 'avoid', riskLevel: 'high', flags: ['payto_changed'] } : {},
    )
  }
  await report(2)
  return { store, clock, put, probe, report, logDays, recompute, get, reader }
}

test('default: the log gives the counts that the report states', async () => {
  const { logDays, recompute } = await setUp()
  await logDays(4)
  const result = await recompute()
  expect(result).toMatchObject({
    date: '2026-06-02',
    countedOn: '2026-06-03',
    forgotten: 0,
    dropped: 0,
    refused: [],
  })
  expect(result.outcomes).toMatchObject([
    {
      group: 'safe excellent',
      isEqual: true,
      recomputed: { endpoints: 2, held: 1, avoidAfter: 1, domains: 2 },
    },
  ])
  expect(isAccurate(result)).toBe(true)
  expect(describeRecomputedAccuracy(result)).toContain('equal      outcomes of safe excellent: {')
})

test('behavior: a purchase that is still withheld is not known yet, neither delivered nor undelivered', async () => {
  const { store, logDays, recompute } = await setUp()
  const bought = {
    ...aPurchase(),
    endpoint: HONEST,
    host: 'honest.example',
    settled: true,
    at: START + 30 * HOUR,
  }
  await store.write('append', [{ ...bought, delivered: false }])
  await logDays(4)
  const result = await recompute()
  expect(result.deliveries).toBeNull()
  expect(isAccurate(result)).toBe(true)
  expect(describeRecomputedAccuracy(result)).toContain('not known  purchases: they are published 30 days')
})

test('behavior: once published, purchases are counted from their entries', async () => {
  const { store, probe, put, report, logDays, recompute } = await setUp()
  const bought = {
    ...aPurchase(),
    endpoint: HONEST,
    host: 'honest.example',
    settled: true,
    at: START + 30 * HOUR,
  }
  await store.write('append', [{ ...bought, delivered: false }])
  for (let day = 2; day < 34; day++)
    for (const endpoint of [HONEST, THIEF]) await probe(endpoint, START + day * DAY + HOUR)
  await store.write('addLeaves', [purchaseLeaf({ ...bought, delivered: false }, newSalt)])
  await put(HONEST, START + 34 * DAY)
  await report(34)
  await logDays(36)
  const result = await recompute(1, '2026-06-02')
  expect(result.deliveries).toEqual([
    {
      group: 'safe excellent',
      isEqual: true,
      stated: { verdict: 'safe', band: 'excellent', bought: 1, delivered: 0 },
      recomputed: { verdict: 'safe', band: 'excellent', bought: 1, delivered: 0 },
    },
  ])
})

test('error: a report that counts a lost verdict as held is found out', async () => {
  const { store, logDays, recompute } = await setUp()
  await logDays(4)
  const [, second] = await readReports(store)
  const lie = structuredClone(second) ?? expect.fail('no report')
  const group = lie.accuracy?.outcomes[0]?.groups[0] ?? expect.fail('nothing counted')
  Object.assign(group, { held: 2, sameTerms: 2, domainsHeld: 2 })
  await store.write('append', [{ kind: 'report', id: 'lie', at: START + 3 * DAY, report: lie }])
  const result = await recompute()
  expect(isAccurate(result)).toBe(false)
  expect(describeRecomputedAccuracy(result)).toMatch(/different {2}outcomes of safe excellent: .*recomputed/)
})

test('behavior: a verdict that nothing measured for 48 h is recomputed as unknown', async () => {
  const { put, report, logDays, recompute } = await setUp()
  await report(5)
  // Nothing was probed meanwhile; the crawl runs again.
  await put('https://new.example/a', START + 6 * DAY)
  await report(6)
  await logDays(9)
  const result = await recompute(1, '2026-06-06')
  expect(result.outcomes.find(({ group }) => group === 'unknown null')).toMatchObject({
    recomputed: { endpoints: 1, measured: 0 },
  })
  expect(result.dropped).toBe(1)
})

test('behavior: an endpoint that was dropped meanwhile does not turn a true report into a lie', async () => {
  const { store, put, probe, report, logDays, recompute } = await setUp()
  const dark = {
    status: 'dark',
    verdict: 'avoid',
    score: 0,
    band: 'bad',
    darkSince: START - 91 * DAY,
  } as const
  const gone = 'https://gone.example/a'
  await probe(gone, START + 40 * HOUR)
  await put(gone, START + 47 * HOUR, dark)
  await report(3)
  await put(HONEST, START + 3.9 * DAY)
  await store.write('dropDead', START, START)
  await report(4)
  await logDays(6)
  const result = await recompute(1, '2026-06-04')
  expect(result.outcomes.find(({ group }) => group === 'avoid bad')).toMatchObject({
    isEqual: true,
    stated: { endpoints: 1, measured: 1, held: 0 },
    recomputed: null,
  })
  expect(result.dropped).toBeGreaterThan(0)
})

test('error: a report that states a time of another day, at which other verdicts stood, is refused', async () => {
  const { store, logDays, recompute } = await setUp()
  await logDays(4)
  const [first] = await readReports(store)
  const report = { ...(first ?? expect.fail('no report')), asOf: '2026-06-03T00:00:00.000Z' }
  await store.write('append', [{ kind: 'report', id: 'moved', at: START + 3 * DAY, report }])
  await expect(recompute()).rejects.toThrow(
    'the report of 2026-06-02 states the time 2026-06-03T00:00:00.000Z',
  )
})

test('error: a deleted opening is said, a changed day refused, a day without counts is nothing to recompute', async () => {
  const { store, logDays, recompute, get, reader } = await setUp()
  await logDays(4)
  await expect(recompute(7)).rejects.toThrow(
    'no day whose outcomes after 7 days are counted is logged and published yet',
  )
  const changed = async (path: string) => {
    const body = await get(path)
    const isChanged = path.endsWith('honest.example')
    return isChanged ? Buffer.from(`${body}`.replace('"amountAtomic":"10000"', '"amountAtomic":"1"')) : body
  }
  const reportsSince = (since: string) => readReports(store, since)
  const result = await recomputeAccuracy({ reader, get: changed, readReports: reportsSince, afterDays: 1 })
  expect(result.refused.map(({ host }) => host)).toEqual(['honest.example'])
  expect(isAccurate(result)).toBe(false)
  expect(describeRecomputedAccuracy(result)).toContain('refused    honest.example: /log/days/')
  await store.write('forgetOpening', 0)
  expect((await recompute()).forgotten).toBe(1)
})
