import type { Report } from '@touchstone402/shared'
import { describe, expect, test } from 'vitest'
import { DAY, toDate } from '../../domain/facts/times.ts'
import { createSampleDeps } from '../testing/createSampleDeps.ts'
import { HTML, openPages } from '../testing/openPages.ts'
import { findings, trend } from './findings.ts'

const [SAMPLE = expect.fail('no report')] = await (await createSampleDeps([])).store.reports()

/** Returns a report of the day `day` days after 1 November, with some figures changed. */
function aReport(day: number, changes: Partial<Report> = {}): Report {
  return { ...SAMPLE, date: toDate(Date.parse('2026-11-01') + day * DAY), ...changes }
}

const verdicts = (avoid: number, safe: number) => ({
  tracked: avoid + safe,
  byVerdict: { safe, caution: 0, avoid, unknown: 0 },
})

describe('findings', () => {
  test('default: three sentences of the figures, bad news first', () => {
    const before = aReport(0, verdicts(3, 10))
    const report = aReport(1, {
      ...verdicts(5, 15),
      ...{ live: 18, dead: 2, deadPct: 10, medianPriceUsd: 0.005, incidentsOpen: 4, incidentsNew: 1 },
    })
    expect(findings(report, before)).toEqual([
      '5 of 20 endpoints should be avoided, 2 more than on 1 Nov 2026.',
      '4 incidents are open and 1 new, and 2 endpoints are dark (10%).',
      '18 endpoints are live and 15 safe to pay (75%), 5 more than on 1 Nov 2026; the median price is $0.005 per call.',
    ])
  })

  test('behavior: what is bad comes before what is not, and nothing is compared with no report', () => {
    const report = aReport(0, { ...verdicts(0, 1), live: 1, dead: 1, deadPct: 100 })
    expect(findings(report, undefined)).toEqual([
      'No incident is open, and 1 endpoint is dark (100%).',
      'None of 1 endpoint should be avoided.',
      '1 endpoint is live and 1 safe to pay (100%).',
    ])
  })
})

test('behavior: the trend names what became worse, or else what became better', () => {
  const over = (from: [number, number], to: [number, number]) =>
    trend([aReport(0, verdicts(...from)), aReport(9, verdicts(...to))])
  expect(over([1, 5], [4, 9])).toBe('Endpoints to avoid rose from 1 to 4 since 1 Nov 2026')
  expect(over([4, 9], [4, 5])).toBe('Endpoints safe to pay fell from 9 to 5 since 1 Nov 2026')
  expect(over([4, 5], [1, 9])).toBe('Endpoints safe to pay rose from 5 to 9 since 1 Nov 2026')
  expect(over([4, 5], [1, 5])).toBe('Endpoints to avoid fell from 4 to 1 since 1 Nov 2026')
  expect(over([4, 5], [4, 5])).toBe('As many endpoints are safe to pay as on 1 Nov 2026: 5')
  expect(trend([aReport(0)])).toBe('Verdicts by day')
})

describe('pages', () => {
  test('default: a report has a page of its own, which links to its neighbours and states its findings', async () => {
    const origin = await openPages()
    const html = await (await fetch(`${origin}/reports/2026-11-20`, HTML)).text()
    expect(html).toContain('<link rel="canonical" href="https://touchstone.example/reports/2026-11-20"')
    expect(html).toContain('content="https://touchstone.example/cards/reports/2026-11-20.png"')
    for (const day of ['2026-11-19', '2026-11-21']) expect(html).toContain(`<a href="/reports/${day}">`)
    const { store } = await createSampleDeps()
    const reports = await store.reports()
    const at = reports.findIndex(({ date }) => date === '2026-11-20')
    for (const sentence of findings(reports[at] ?? SAMPLE, reports[at - 1]))
      expect(html).toContain(`<p>${sentence}</p>`)
    const answer = await fetch(`${origin}/reports/2026-11-20`, { headers: { Accept: 'application/json' } })
    expect(await answer.json()).toEqual(reports[at])
  })

  test('behavior: the latest report and the table link to the pages of the days', async () => {
    const html = await (await fetch(`${await openPages()}/reports`, HTML)).text()
    expect(html).toContain('<a href="/reports/2026-11-21">permalink</a>')
    expect(html.match(/<a href="\/reports\/2026-\d\d-\d\d">2026-/g)).toHaveLength(21)
  })

  test('error: answers 404 for a day without a report', async () => {
    const origin = await openPages([])
    for (const day of ['2020-01-01', '2026-11-22', 'latest', '%2e%2e%2fx', '__proto__']) {
      const answer = await fetch(`${origin}/reports/${day}`, HTML)
      expect([day, answer.status, answer.headers.get('content-type')]).toEqual([
        day,
        404,
        'text/html; charset=utf-8',
      ])
    }
  })

  test('behavior: verdicts are stacked by day, and days without a report stay empty', async () => {
    const { store } = await createSampleDeps([])
    const days = [0, 1, 4].map((day) => aReport(day, verdicts(1, 3)))
    const origin = await openPages([], { store: { ...store, reports: async () => days } })
    const html = await (await fetch(`${origin}/reports`, HTML)).text()
    const layer = (verdict: string) =>
      new RegExp(`<path class="p-verdict v-${verdict}" d="([^"]*)"`).exec(html)?.[1] ?? ''
    expect(layer('avoid').match(/M/g)).toHaveLength(2)
    const heightOf = (path: string) => {
      const values = [...path.matchAll(/V([\d.]+)/g)].map(([, value]) => Number(value))
      return Math.max(...values) - Math.min(...values)
    }
    expect(heightOf(layer('safe')) / heightOf(layer('avoid'))).toBeCloseTo(3, 1)
    expect(heightOf(layer('caution'))).toBe(0)
  })
})
