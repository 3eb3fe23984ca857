import type { Report } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { DAY, toDate } from '../facts/times.ts'
import { measureAccuracy } from '../publish/accuracy/measureAccuracy.ts'
import { aReport as anEmptyReport } from '../store/testing/records.ts'
import { describeFindings } from './reports.tsx'
import { createSampleDeps } from './testing/createSampleDeps.ts'
import { HTML, openPages } from './testing/openPages.ts'

const { store } = await createSampleDeps([])
const SAMPLE = anEmptyReport()

/** Returns a report of the day `day` days after 1 November, with some figures changed. */
function aReport(day: number, changes: Partial<Report> = {}): Report {
  return { ...SAMPLE, date: toDate(Date.parse('2026-11-01') + day * DAY), ...changes }
}

const verdicts = (avoid: number, safe: number) => ({
  tracked: avoid + safe,
  byVerdict: { safe, caution: 0, avoid, unknown: 0 },
})

const open = async (reports: readonly Report[]) => {
  const origin = await openPages([], { store: { ...store, reports: async () => reports } })
  return (await fetch(`${origin}/reports`, HTML)).text()
}

test('default: three sentences with the figures of the report, bad news first, and three plots', async () => {
  const report = aReport(1, {
    ...verdicts(5, 15),
    changes: { ...SAMPLE.changes, payto_swap: 2 },
    live: 18,
    dead: 2,
    deadPct: 10,
    medianPriceUsd: 0.005,
    incidentsOpen: 4,
    incidentsNew: 1,
  })
  const html = await open([aReport(0, verdicts(3, 10)), report])
  const sentences = [...html.matchAll(/<p>([^<]*)<\/p>/g)].map(([, sentence]) => sentence).slice(0, 3)
  expect(sentences).toEqual([
    '5 of 20 endpoints should be avoided, 2 more than on 2026-11-01.',
    '4 incidents are open and 1 new, 2 receivers changed, and 2 endpoints are dark (10%).',
    '18 endpoints are live and 15 safe to pay (75%), 5 more than on 2026-11-01; the median price is $0.005 per call.',
  ])
  expect(html.match(/<figure>/g)).toHaveLength(3)
})

test('behavior: nothing is compared with no report, and each plot says in words from where to where it goes', async () => {
  const report = aReport(0, {
    ...verdicts(0, 1),
    live: 1,
    dead: 1,
    deadPct: 100,
    changes: { ...SAMPLE.changes, payto_swap: 1 },
  })
  expect(describeFindings(report, undefined)).toEqual([
    '0 of 1 endpoint should be avoided.',
    '0 incidents are open and 0 new, 1 receiver changed, and 1 endpoint is dark (100%).',
    '1 endpoint is live and 1 safe to pay (100%).',
  ])
  const html = await open(
    [0, 1, 4].map((day) => aReport(day, { ...verdicts(day + 1, 3), medianPriceUsd: 0.01 })),
  )
  expect(html).toContain('aria-label="Endpoints to avoid from 2026-11-01 (1) to 2026-11-05 (5)"')
  expect(html.match(/<path class="p-line"/g)).toHaveLength(3)
  expect((await open([report])).match(/Needs two days of reports/g)).toHaveLength(3)
})

test('behavior: the page says how verdicts held, with interval and skill, and what is not known', async () => {
  const measured = Array.from({ length: 10 }, (_, n) => ({
    at: Date.parse('2026-11-01'),
    endpoint: `https://s${n}.example/a`,
    verdict: 'safe' as const,
    band: 'good' as const,
    live: n > 0,
    sameTerms: true,
    delivered: null,
    avoidAfter: false,
  }))
  const accuracyFigures = [measureAccuracy(measured, 1), measureAccuracy([], 7)]
  const html = await open([aReport(0, { accuracyFigures })])
  expect(html).toContain('How our verdicts held')
  expect(html).toContain('90% (59.58 to 98.21)')
  expect(html).toContain('Skill of the bands against the base rate: not known yet.')
  expect(html).toContain('No period of this length has ended yet.')
  expect(html).toContain('Thieves that neither found are not known')
  expect(await open([aReport(0)])).not.toContain('How our verdicts held')
})

test('behavior: without a report the page says when the first appears', async () => {
  expect(await open([])).toContain('The first report appears after the first full day of measurements.')
})
