import { describe, expect, test } from 'vitest'
import { DAY, toDate, toTimestamp } from '../../facts/times.ts'
import { readLatestReport, readReports } from '../facts.ts'
import { readPurchasesBetween, readStandingVerdicts } from '../standing.ts'
import { aState } from './documents.ts'
import { anIncident, anObservation, aPurchase, aReport, NOON } from './records.ts'
import { type Home, useStore } from './useStore.ts'

const [A, B] = ['https://a.example/a', 'https://b.example/b']
const TERM = {
  x402Version: 2 as const,
  scheme: 'exact',
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x1111111111111111111111111111111111111111',
  amountAtomicMin: '1000',
  amountAtomicMax: '1000',
  method: 'GET',
}

/** Tests which verdicts stood with a report. */
export function describeStanding(name: string, createHome: () => Promise<Home>): void {
  describe(`${name} standing verdicts`, () => {
    const home = useStore(createHome)
    const timeOf = (day: number) => NOON + day * DAY
    const put = (endpoint: string, day: number, changes: Parameters<typeof aState>[0] = {}) =>
      home.store.write('putEndpoint', aState({ endpoint, derivedAt: timeOf(day), terms: [TERM], ...changes }))
    const report = (day: number, at = timeOf(day)) => {
      const accuracy = { outcomes: [], deliveries: [] }
      const made = aReport({ date: toDate(timeOf(day)), asOf: toTimestamp(at), accuracy })
      return home.store.write('append', [{ kind: 'report', id: `r${at}`, at, report: made }])
    }
    const stood = async (day: number, now = timeOf(day)) =>
      (await readStandingVerdicts(home.store, { date: toDate(timeOf(day)), after: '', limit: 100, now })).map(
        ({ endpoint, verdict, band, later }) => [endpoint, verdict, band, later],
      )

    test('default: a report notes the verdict, band and terms that stand, and a later one only what changed', async () => {
      await put(A, 0)
      await put(B, 0, { verdict: 'caution', riskLevel: 'medium', score: 76, band: 'good' })
      await report(0)
      await put(A, 1, { verdict: 'avoid', riskLevel: 'high' })
      await put(B, 1, { verdict: 'caution', riskLevel: 'medium', score: 77, band: 'good' })
      await report(1)
      expect(await stood(0, timeOf(1))).toEqual([
        [A, 'safe', 'excellent', 'avoid'],
        [B, 'caution', 'good', 'caution'],
      ])
      expect(await stood(1)).toEqual([
        [A, 'avoid', 'excellent', 'avoid'],
        [B, 'caution', 'good', 'caution'],
      ])
      const [first] = await readStandingVerdicts(home.store, {
        date: toDate(NOON),
        after: '',
        limit: 1,
        now: NOON,
      })
      expect(first?.terms).toEqual([TERM])
      const rest = await readStandingVerdicts(home.store, {
        date: toDate(NOON),
        after: A,
        limit: 9,
        now: NOON,
      })
      expect(rest.map(({ endpoint }) => endpoint)).toEqual([B])
      expect(await stood(-1)).toEqual([])
    })

    test('behavior: a second run of one day replaces the first, in one process and in two', async () => {
      await put(A, 0)
      await report(0)
      const before = await stood(0)
      const other = await home.reopen()
      await other.write('append', [])
      await report(0, NOON + 1)
      await report(0, NOON + 2)
      expect(await stood(0)).toEqual(before)
      await put(A, 0, { verdict: 'avoid', riskLevel: 'high' })
      await report(0, NOON + 3)
      expect(await stood(0)).toEqual([[A, 'avoid', 'excellent', 'avoid']])
    })

    test('behavior: an expired verdict stands as unknown, without a band', async () => {
      await put(A, 0)
      await report(0)
      await report(3)
      expect(await stood(3)).toEqual([[A, 'unknown', null, 'unknown']])
    })

    test('behavior: an endpoint that no directory lists any more still stands, one that was dropped no longer', async () => {
      await put(A, 0)
      await put(B, 0, { status: 'dark', verdict: 'avoid', score: 0, band: 'bad', darkSince: NOON - DAY })
      await report(0)
      await put(A, 1, { listedBy: [] })
      await home.store.write('dropDead', NOON, NOON)
      await report(1)
      expect(await stood(1)).toEqual([[A, 'safe', 'excellent', 'safe']])
      const [, dropped] = await readStandingVerdicts(home.store, {
        date: toDate(NOON),
        after: '',
        limit: 9,
        now: NOON,
      })
      expect(dropped).toMatchObject({ endpoint: B, verdict: 'avoid', isKept: false, later: 'unknown' })
    })

    test('behavior: paths that only a check asked for never stand', async () => {
      await put(A, 0, { listedBy: [] })
      await report(0)
      expect(await stood(0)).toEqual([])
    })

    test('behavior: keeps what stood within the last 100 reports, however far a clock jumps', async () => {
      await put(A, 0)
      await report(0)
      await put(A, 2, { verdict: 'caution', riskLevel: 'medium' })
      await report(2)
      await report(5000)
      expect(await stood(0, timeOf(2))).toEqual([[A, 'safe', 'excellent', 'caution']])
      for (let day = 3; day < 103; day++) await report(day)
      expect(await stood(0, timeOf(2))).toEqual([])
      expect(await stood(2, timeOf(2))).toEqual([[A, 'caution', 'excellent', 'caution']])
    })

    test("behavior: sellers' texts that no database parses keep no report from being written", async () => {
      const hostile = [{ code: 'x', severity: 'info' as const, message: '\u0000 \ud800 "', evidence: [] }]
      await put(A, 0, { reasons: hostile })
      await report(0)
      expect(await stood(0)).toEqual([[A, 'safe', 'excellent', 'safe']])
    })

    test('default: reads the purchases of a time, its begin left out', async () => {
      const bought = [0, 1, 2].map((day) => ({ ...aPurchase(), id: `p${day}`, at: timeOf(day) }))
      await home.store.write('append', [anObservation(), ...bought])
      await home.store.write('append', [{ kind: 'incident', id: 'i', at: NOON, incident: anIncident() }])
      expect((await readPurchasesBetween(home.store, timeOf(0), timeOf(1))).map(({ id }) => id)).toEqual([
        'p1',
      ])
    })

    test('default: reads reports from a date on, and until another', async () => {
      for (const day of [0, 1, 2]) await report(day)
      const [first = '', second = '', third = ''] = [0, 1, 2].map((day) => toDate(timeOf(day)))
      const datesOf = async (since?: string, until?: string) =>
        (await readReports(home.store, since, until)).map(({ date }) => date)
      expect(await datesOf(second)).toEqual([second, third])
      expect(await datesOf(first, second)).toEqual([first, second])
      expect(await datesOf()).toEqual([first, second, third])
    })

    test('default: the latest report is that of the newest date, whichever was written last', async () => {
      expect(await readLatestReport(home.store)).toBeUndefined()
      for (const day of [1, 3, 2]) await report(day)
      expect((await readLatestReport(home.store))?.date).toBe(toDate(timeOf(3)))
    })

    test('behavior: keeps reports for ever', async () => {
      await report(0)
      await report(5000)
      const first = toDate(timeOf(0))
      expect((await readReports(home.store, '', first)).map(({ date }) => date)).toEqual([first])
    })
  })
}
