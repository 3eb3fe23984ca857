import { gzipSync } from 'node:zlib'
import type { Report } from '@touchstone402/shared'
import { seededRandom } from '@touchstone402/shared/testing'
import { expect, test } from 'vitest'
import type { Config } from '../../config/config.ts'
import { DAY, toDate } from '../../facts/times.ts'
import { measureAccuracy } from '../../publish/accuracy/measureAccuracy.ts'
import { SERIES_IDS } from '../../publish/seriesIds.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { aReport as anEmptyReport } from '../../store/testing/records.ts'
import { withReads } from '../../store/testing/withFaults.ts'
import { createDrawing } from '../drawing.ts'
import { createSampleAnswers } from '../testing/createSampleAnswers.ts'
import { createSampleDeps } from '../testing/createSampleDeps.ts'
import { HTML, openPages, type PageChanges } from '../testing/openPages.ts'
import { writePicture } from './picture.tsx'
import { describeFindings } from './reports.tsx'
import { SERIES } from './series.ts'

const SAMPLE = anEmptyReport()

/** Returns a report of the day `day` days after 1 November, with some figures changed. */
function aReport(day: number, changes: Partial<Report> = {}): Report {
  return { ...SAMPLE, date: toDate(Date.parse('2026-11-01') + day * DAY), ...changes }
}

const countOf = (text: string, part: RegExp) => text.match(part)?.length ?? 0

const verdicts = (avoid: number, safe: number) => ({
  tracked: avoid + safe,
  byVerdict: { safe, caution: 0, avoid, unknown: 0 },
})

/** Creates a store of some reports. */
async function storeOf(reports: readonly Report[]) {
  const store = createMemoryStore()
  await store.write(
    'append',
    reports.map((report) => ({ kind: 'report', id: report.date, at: Date.parse(report.date), report })),
  )
  return store
}

/** Serves the pages over some reports. */
const serve = async (reports: readonly Report[], changes: PageChanges = {}) => {
  return openPages([], { store: await storeOf(reports), ...changes })
}
const open = async (reports: readonly Report[], path = '/reports') =>
  (await fetch((await serve(reports)) + path, HTML)).text()

test('default: three sentences with the figures of the report, bad news first, and a plot of each series', async () => {
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
    '4 incidents are open and 1 new, the receiver changed at 2 endpoints, and 2 endpoints are dark (10%).',
    '18 endpoints are live and 15 safe to pay (75%), 5 more than on 2026-11-01; the median price is $0.005 per call.',
  ])
  expect(html.match(/<figure>/g)).toHaveLength(6)
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
    '0 incidents are open and 0 new, the receiver changed at 1 endpoint, and 1 endpoint is dark (100%).',
    '1 endpoint is live and 1 safe to pay (100%).',
  ])
  const html = await open(
    [0, 1, 4].map((day) => aReport(day, { ...verdicts(day + 1, 3), medianPriceUsd: 0.01 })),
  )
  expect(html).toContain('aria-label="Median price per call, from 2026-11-01: $0.01 to 2026-11-05: $0.01"')
  expect(html.match(/role="group"/g)).toHaveLength(3)
  expect((await open([report])).match(/Needs two days of reports/g)).toHaveLength(6)
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

const SERVICES = { safe: 11, caution: 3, avoid: 6, unknown: 1 }
const DIRECTORY = { listed: 16, claimedHealthy: 16, working: 15, accuracyPct: 93.8 }
const days = (count: number) =>
  Array.from({ length: count }, (_, day) =>
    aReport(day, {
      hosts: 21,
      hostsByVerdict: SERVICES,
      scoreVersion: '1.3.0',
      directories: [{ directory: 'bazaar', ...DIRECTORY }],
      medianPriceUsd: 0.005,
    }),
  )

test('default: the report of a date stays as it was, and other dates are not there', async () => {
  const all = days(5)
  const origin = await serve(all)
  const read = (path: string) => fetch(origin + path, HTML)
  const third = await (await read('/reports/2026-11-03')).text()
  expect(third).toContain('<h1>State of x402, 2026-11-03</h1>')
  expect(third).toContain('<link rel="canonical" href="https://touchstone.example/reports/2026-11-03"/>')
  expect(third).toContain('href="/reports/2026-11-02"')
  expect(third).not.toMatch(/2026-11-0[45]/)
  expect(await (await read('/reports')).text()).toContain('<h1>State of x402, 2026-11-05</h1>')
  const later = await (await fetch(`${await serve(all.slice(0, 3))}/reports/2026-11-03`, HTML)).text()
  expect(later).toBe(third)
  for (const date of ['2026-10-31', '2026-11-06', '2026-11-31', 'latest', '..%2F..%2Fx', '2026-11-3'])
    expect([date, (await read(`/reports/${date}`)).status]).toEqual([date, 404])
})

test('default: the latest report is found however old it is', async () => {
  const html = await open([aReport(-400)])
  expect(html).toContain('<h1>State of x402, 2025-09-27</h1>')
})

test('behavior: a visit after a long silence reads few of the old reports', async () => {
  const old = Array.from({ length: 1000 }, (_, index) => aReport(index - 1400))
  let count = 0
  const counted = withReads(await storeOf(old), 'report', (rows) => {
    count += rows.length
    return rows
  })
  const origin = await openPages([], { store: counted })
  const html = await (await fetch(`${origin}/reports`, HTML)).text()
  expect(html).toContain(`<h1>State of x402, ${old.at(-1)?.date}</h1>`)
  expect(count).toBeLessThan(250)
})

test('default: shares in sentences are whole percents', () => {
  const [, dark, safe] = describeFindings(
    aReport(0, { ...verdicts(2, 1), dead: 1, deadPct: 33.3 }),
    undefined,
  )
  expect([dark, safe].join(' ')).toMatch(/1 endpoint is dark \(33%\)\. .* 1 safe to pay \(33%\)/)
})

test('default: a report and each series has a sentence to cite with a link that stays', async () => {
  const origin = await serve(days(3))
  for (const path of ['/reports/2026-11-02', '/reports/2026-11-02/verdicts']) {
    const html = await (await fetch(origin + path, HTML)).text()
    expect(html).toContain(
      `<code>Touchstone, State of x402, 2026-11-02, method 1.3.0, https://touchstone.example${path}</code>`,
    )
  }
})

test('default: a report says what its figures count and what they leave out, with its directories', async () => {
  const html = await open(days(2))
  expect(html).toContain(
    'The figures count endpoints that a directory (bazaar) or a document of their own host',
  )
  for (const limit of [
    'nobody lists are not in them',
    'read on Base alone',
    'test purchases alone, which are few',
  ])
    expect(html.replace(/\s+/g, ' ')).toContain(limit)
})

test('behavior: the licence of the data is stated if the operator set one, and none otherwise', async () => {
  const licence = { name: 'CC-BY-4.0', url: 'https://spdx.org/licenses/CC-BY-4.0.html' }
  for (const path of ['/reports', '/reports/2026-11-02/prices']) {
    const read = async (config: Partial<Config>) =>
      (await fetch((await serve(days(2), { config })) + path, HTML)).text()
    const stated = await read({ dataLicense: licence })
    expect(stated).toMatch(/Licence of the data: <a href="https:\/\/spdx\.org[^>]*>CC-BY-4\.0<\/a>/)
    expect(await read({})).toContain('No licence of the data is stated')
  }
})

test('default: the page of a series shows its plot, all its values and its picture as preview', async () => {
  const html = await open(days(3), '/reports/2026-11-03/verdicts')
  expect(html).toContain('aria-label="Safe and avoid share of services, from 2026-11-01: Safe to pay 52.4%, ')
  expect(html).toContain('<title>2026-11-02: Safe to pay 52.4%, Avoid 28.6%</title>')
  expect(html).toContain('<th scope="row">2026-11-02</th><td>52.4%</td><td>28.6%</td>')
  expect(html).toContain('content="https://touchstone.example/reports/2026-11-03/verdicts.png"')
  const origin = await serve(days(3))
  expect((await fetch(`${origin}/reports/2026-11-03/nothing`)).status).toBe(404)
})

test('behavior: a plot tells its values on hover each day, and to the keyboard on some days', async () => {
  const html = await open(days(30), '/reports/2026-11-30/dark')
  const [narrow = ''] = /<svg class="plot narrow".*?<\/svg>/s.exec(html) ?? []
  expect(countOf(narrow, /<title>/g)).toBe(30)
  expect(countOf(narrow, /tabindex="0"/gi)).toBe(6)
  const [first, ...others] = [...narrow.matchAll(/aria-label="(2026-11-\d\d): 0%"/g)].map(([, day]) => day)
  expect([first, others.at(-1)]).toEqual(['2026-11-01', '2026-11-30'])
  // A phone of 390 px leaves 310 px to the 360 units, so text of 15.5 units has 13.3 px.
  expect(narrow).toContain('viewBox="0 0 360 180" font-size="15.5"')
})

test('default: every series that the OpenAPI document names is there', () => {
  expect(SERIES.map(({ id }) => id)).toEqual([...SERIES_IDS])
})

test('behavior: a line that was never measured leaves a picture that can be drawn', async () => {
  const points = (value: number | null) => [0, DAY].map((at) => ({ at, value }))
  const lines = [
    { name: 'measured', points: points(5) },
    { name: 'not measured', points: points(null) },
  ]
  const plot = { name: 'Held', lines, format: (value: number) => `${value}%` }
  const png = await createDrawing()('key', () => writePicture({ plot, source: 'here' }), 'client')
  expect(png.length).toBeGreaterThan(5_000)
})

test('default: each series is a PNG of the size of a preview', async () => {
  const origin = await serve(days(3))
  for (const { id } of SERIES) {
    const answer = await fetch(`${origin}/reports/2026-11-03/${id}.png`)
    const png = Buffer.from(await answer.arrayBuffer())
    expect([id, answer.status, answer.headers.get('content-type')]).toEqual([id, 200, 'image/png'])
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630])
    expect(png.length).toBeGreaterThan(5_000)
  }
  expect((await fetch(`${origin}/reports/2026-11-04/dark.png`)).status).toBe(404)
})

test('default: the CSV of a series holds the figures of /reports.json, a day a row', async () => {
  const deps = await createSampleDeps()
  const origin = await openPages([], deps)
  const { series } = (await createSampleAnswers(deps).reports({})).body
  const last = series.at(-1)?.date ?? ''
  const read = async (id: string) => {
    const answer = await fetch(`${origin}/reports/${last}/${id}.csv`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    const [head, ...rows] = (await answer.text()).trimEnd().split('\r\n')
    return { head, rows }
  }
  const join = (...cells: readonly (string | number | null)[]) => cells.map((cell) => cell ?? '').join(',')
  expect(await read('dark')).toEqual({
    head: 'date,endpoints,dark,dark_pct',
    rows: series.map(({ date, tracked, dead, deadPct }) => join(date, tracked, dead, deadPct)),
  })
  expect((await read('prices')).rows).toEqual(
    series.map(({ date, medianPriceUsd }) => join(date, medianPriceUsd)),
  )
  expect((await read('receivers')).rows).toEqual(
    series.map(({ date, changes }) => join(date, changes.payto_swap)),
  )
  const verdicts = await read('verdicts')
  expect(verdicts.head).toBe('date,services,safe,caution,avoid,unknown,safe_pct,avoid_pct')
  expect(verdicts.rows).toEqual(
    series.map(({ date, hosts, hostsByVerdict: by = expect.fail('not counted') }) => {
      const share = (count: number) => Math.round((1000 * count) / hosts) / 10
      return join(date, hosts, by.safe, by.caution, by.avoid, by.unknown, share(by.safe), share(by.avoid))
    }),
  )
  expect((await read('directories')).rows.filter((row) => /,bazaar,/.test(row))).toEqual(
    series.flatMap(({ date, directories = [] }) =>
      directories
        .filter(({ directory }) => directory === 'bazaar')
        .map((one) => join(date, 'bazaar', one.listed, one.claimedHealthy, one.working, one.accuracyPct)),
    ),
  )
  expect((await read('accuracy')).rows).toEqual(
    series.flatMap(({ date, held = [] }) =>
      held.map(({ afterDays, heldPct }) => join(date, afterDays, heldPct)),
    ),
  )
})

test('behavior: no name of a directory is a formula or breaks a row of the CSV', async () => {
  const directory = "=cmd|'/c calc'!A1,\"\r\nx"
  const reports = days(2).map((report) => ({ ...report, directories: [{ directory, ...DIRECTORY }] }))
  const answer = await fetch(`${await serve(reports)}/reports/2026-11-02/directories.csv`)
  const text = await answer.text()
  expect(text.split('\r\n')).toHaveLength(4)
  expect(text).toContain(`2026-11-01,"'=cmd|'/c calc'!A1,"" x",16,16,15,93.8`)
  const html = await (await fetch(`${await serve(reports)}/reports`, HTML)).text()
  expect(html).not.toContain('!A1,"')
})

test('behavior: reports of earlier versions count no services, and their days are left out', async () => {
  const reports = [aReport(0, { hosts: 21 }), ...days(3).slice(1)]
  const origin = await serve(reports)
  const csv = await (await fetch(`${origin}/reports/2026-11-03/verdicts.csv`)).text()
  expect(
    csv
      .split('\r\n')
      .slice(1, -1)
      .map((row) => row.slice(0, 10)),
  ).toEqual(['2026-11-02', '2026-11-03'])
})

test('behavior: a report of ninety days is small for a browser', async () => {
  const random = seededRandom(7)
  const varied = days(90).map((report) => {
    const part = (most: number) => Math.floor(random() * most)
    const [safe, avoid] = [part(10), part(10)]
    return {
      ...report,
      hostsByVerdict: { safe, avoid, caution: 20 - safe - avoid, unknown: 1 },
      deadPct: part(300) / 10,
      medianPriceUsd: part(100) / 10_000,
      directories: ['402index', 'bazaar', 'host'].map((directory) => {
        return { directory, ...DIRECTORY, accuracyPct: part(1000) / 10 }
      }),
    }
  })
  const html = await open(varied)
  expect(gzipSync(html).length).toBeLessThan(15_000)
  expect(html).toContain('The newest 30 days.')
  const [all = ''] =
    /<table class="values">.*?<\/table>/s.exec(await open(varied, '/reports/2027-01-29/dark')) ?? []
  expect(countOf(all, /<tr>/g)).toBe(91)
})

test('behavior: no sentence counts services and endpoints together', async () => {
  for (const path of ['/reports', ...SERIES.map(({ id }) => `/reports/2026-11-03/${id}`)]) {
    const html = await open(days(3), path)
    const main = (/<main.*<\/main>/s.exec(html)?.[0] ?? '').replace(/<[^>]*>/g, ' ')
    for (const sentence of main.split(/[.;] /))
      expect([path, /\d (services|hosts)/.test(sentence) && /\d endpoint/.test(sentence)]).toEqual([
        path,
        false,
      ])
  }
})
