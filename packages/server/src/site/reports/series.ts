import type { CsvCell, Report } from '@touchstone402/shared'
import type { SERIES_IDS } from '../../publish/seriesIds.ts'
import { sharePct } from '../../publish/sharePct.ts'
import type { Plot, PlotLine } from '../components/plots.tsx'
import { formatUsd } from '../format.ts'
import { cleanText } from '../text.ts'

/** Value of one line on one day. */
type Reading = Pick<PlotLine, 'name' | 'tone'> & { readonly value: number | null }

/** A quantity that reports follow from day to day. */
export type Series = {
  /** Segment of its paths. */
  readonly id: (typeof SERIES_IDS)[number]
  readonly title: string
  /** Definition of the series, in one or two sentences. */
  readonly about: string
  readonly format: (value: number) => string
  /** End of the scale. @default the largest value */
  readonly most?: number
  /** Returns the values of a day, by line; none if the report lacks them. */
  readonly read: (report: Report) => readonly Reading[]
  /** Columns of the CSV behind the date. */
  readonly columns: readonly string[]
  /** Returns the rows of a day in the CSV, behind the date. */
  readonly rows: (report: Report) => readonly (readonly CsvCell[])[]
}

const MAX_LINES = 6
const MAX_NAME = 40

const formatPct = (value: number) => `${value}%`
/** Labels whole numbers only; a count has no fractions. */
const formatCount = (count: number) => (Number.isInteger(count) ? count.toLocaleString('en-US') : '')

/** Returns the safe and the avoid share of services in percent; undefined if a report does not count them. */
function readShares({ hosts, hostsByVerdict: by }: Report) {
  if (by === undefined || hosts === 0) return undefined
  return { safePct: sharePct(by.safe, hosts), avoidPct: sharePct(by.avoid, hosts) }
}

/** All series, in the order of a report. */
export const SERIES: readonly Series[] = [
  {
    id: 'verdicts',
    title: 'Safe and avoid share of services',
    about: 'Share of known services with the verdict Safe to pay, and with Avoid. A service is one host.',
    format: formatPct,
    most: 100,
    read: (report) => {
      const shares = readShares(report)
      if (shares === undefined) return []
      return [
        { name: 'Safe to pay', tone: 'safe', value: shares.safePct },
        { name: 'Avoid', tone: 'avoid', value: shares.avoidPct },
      ]
    },
    columns: ['services', 'safe', 'caution', 'avoid', 'unknown', 'safe_pct', 'avoid_pct'],
    rows: (report) => {
      const { hosts, hostsByVerdict: by } = report
      const shares = readShares(report)
      if (by === undefined || shares === undefined) return []
      return [[hosts, by.safe, by.caution, by.avoid, by.unknown, shares.safePct, shares.avoidPct]]
    },
  },
  {
    id: 'dark',
    title: 'Dark share of endpoints',
    about: 'Share of known endpoints that are confirmed dark: several probes in a row had no answer.',
    format: formatPct,
    read: ({ deadPct }) => [{ name: 'Dark', value: deadPct }],
    columns: ['endpoints', 'dark', 'dark_pct'],
    rows: ({ tracked, dead, deadPct }) => [[tracked, dead, deadPct]],
  },
  {
    id: 'prices',
    title: 'Median price per call',
    about: 'Median of the prices in dollars that live endpoints ask, as far as they are known.',
    format: formatUsd,
    read: ({ medianPriceUsd }) => [{ name: 'Median price', value: medianPriceUsd }],
    columns: ['median_price_usd'],
    rows: ({ medianPriceUsd }) => [[medianPriceUsd]],
  },
  {
    id: 'receivers',
    title: 'Receivers changed',
    about:
      'Confirmed changes of a receiver that the old one did not announce, in the 24 hours before each report. Each endpoint counts.',
    format: formatCount,
    read: ({ changes }) => [{ name: 'Receivers changed', value: changes.payto_swap }],
    columns: ['receivers_changed'],
    rows: ({ changes }) => [[changes.payto_swap]],
  },
  {
    id: 'directories',
    title: 'Directory accuracy',
    about: `Share of the endpoints in a directory that are live, of those that were measured. "host" stands for what hosts list themselves. The plot shows the first ${MAX_LINES} directories by name, the CSV all.`,
    format: formatPct,
    most: 100,
    read: ({ directories }) =>
      directories.map(({ directory, accuracyPct }) => ({ name: directory, value: accuracyPct })),
    columns: ['directory', 'listed', 'claimed_healthy', 'working', 'accuracy_pct'],
    rows: ({ directories }) =>
      directories.map(({ directory, listed, claimedHealthy, working, accuracyPct }) => {
        return [cleanText(directory, MAX_NAME), listed, claimedHealthy, working, accuracyPct]
      }),
  },
  {
    id: 'accuracy',
    title: 'Verdicts that held',
    about:
      'Share of our verdicts, other than Unknown, after which the endpoint stayed live and kept to its signed terms for 1, 7 and 30 days. Each domain counts once.',
    format: formatPct,
    most: 100,
    read: ({ accuracyFigures = [] }) =>
      accuracyFigures.map(({ afterDays, heldPct }) => ({
        name: afterDays === 1 ? 'After 1 day' : `After ${afterDays} days`,
        value: heldPct,
      })),
    columns: ['after_days', 'held_pct'],
    rows: ({ accuracyFigures = [] }) => accuracyFigures.map(({ afterDays, heldPct }) => [afterDays, heldPct]),
  },
]

/** Makes the plot of a series. Lines come in the order of the newest report. @param reports oldest first */
export function plotSeries({ title, format, most, read }: Series, reports: readonly Report[]): Plot {
  const days = reports.map((report) => ({ at: Date.parse(report.date), readings: read(report) }))
  const newest = days.findLast(({ readings }) => readings.length > 0)
  const lines = (newest?.readings ?? []).slice(0, MAX_LINES).map(({ name, tone }) => ({
    name: cleanText(name, MAX_NAME),
    ...(tone && { tone }),
    points: days.map(({ at, readings }) => {
      const value = readings.find((reading) => reading.name === name)?.value ?? null
      return { at, value }
    }),
  }))
  return { name: title, lines, format, ...(most !== undefined && { most }) }
}

/** Returns the rows of a series with their head, as a CSV holds them. @param reports oldest first */
export function tabulateSeries({ columns, rows }: Series, reports: readonly Report[]): CsvCell[][] {
  const body = reports.flatMap((report) => rows(report).map((row) => [report.date, ...row]))
  return [['date', ...columns], ...body]
}
