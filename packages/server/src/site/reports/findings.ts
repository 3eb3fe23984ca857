import type { Report } from '@touchstone402/shared'
import { formatDate, formatUsd, plural } from '../format.ts'

/**
 * States what a report found, in three sentences made of its figures: bad news first.
 * @param before the report before it. @default nothing is compared
 */
export function findings(report: Report, before: Report | undefined): string[] {
  const sentences = [
    { isBad: report.byVerdict.avoid > 0, text: describeAvoided(report, before) },
    {
      isBad: report.incidentsOpen + report.incidentsNew > 0 || report.dead > 0,
      text: describeTrouble(report),
    },
  ]
  const sorted = sentences.sort((a, b) => Number(b.isBad) - Number(a.isBad))
  return [...sorted.map(({ text }) => text), describeSafe(report, before)]
}

function describeAvoided(report: Report, before: Report | undefined): string {
  const { tracked, byVerdict } = report
  if (tracked === 0) return 'No endpoint is tracked yet.'
  const count =
    byVerdict.avoid === 0
      ? `None of ${plural(tracked, 'endpoint')} should be avoided`
      : `${byVerdict.avoid.toLocaleString('en-US')} of ${plural(tracked, 'endpoint')} should be avoided`
  return `${count}${compare(byVerdict.avoid, before?.byVerdict.avoid, before)}.`
}

function describeTrouble({ incidentsOpen, incidentsNew, changes, dead, deadPct }: Report): string {
  const incidents =
    incidentsOpen + incidentsNew === 0
      ? 'No incident is open'
      : `${plural(incidentsOpen, 'incident is', 'incidents are')} open and ${incidentsNew} new`
  const swaps = changes.payto_swap > 0 ? `, ${plural(changes.payto_swap, 'receiver')} changed` : ''
  const dark =
    dead === 0 ? 'no endpoint is dark' : `${plural(dead, 'endpoint is', 'endpoints are')} dark (${deadPct}%)`
  return `${incidents}${swaps}, and ${dark}.`
}

function describeSafe(
  { byVerdict, tracked, medianPriceUsd, ...report }: Report,
  before: Report | undefined,
): string {
  const share = tracked === 0 ? 0 : Math.round((100 * byVerdict.safe) / tracked)
  const price = medianPriceUsd === null ? '' : `; the median price is ${formatUsd(medianPriceUsd)} per call`
  const live = plural(report.live, 'endpoint is', 'endpoints are')
  return `${live} live and ${byVerdict.safe} safe to pay (${share}%)${compare(byVerdict.safe, before?.byVerdict.safe, before)}${price}.`
}

/** Compares a count with that of an earlier report: `, 3 more than on 20 Nov 2026`. */
function compare(count: number, earlier: number | undefined, before: Report | undefined): string {
  if (earlier === undefined || before === undefined) return ''
  const day = formatDate(Date.parse(before.date))
  if (count === earlier) return `, as many as on ${day}`
  return `, ${Math.abs(count - earlier).toLocaleString('en-US')} ${count > earlier ? 'more' : 'fewer'} than on ${day}`
}

/** States how the verdicts moved over a series of at least two reports, oldest first; bad news first. */
export function trend(reports: readonly Report[]): string {
  const [first] = reports
  const last = reports.at(-1)
  if (first === undefined || last === undefined || first === last) return 'Verdicts by day'
  const since = `since ${formatDate(Date.parse(first.date))}`
  const move = (verdict: 'avoid' | 'safe', name: string) => {
    const [from, to] = [first.byVerdict[verdict], last.byVerdict[verdict]]
    const way = to > from ? 'rose' : 'fell'
    return { by: to - from, text: `${name} ${way} from ${from} to ${to} ${since}` }
  }
  const avoid = move('avoid', 'Endpoints to avoid')
  const safe = move('safe', 'Endpoints safe to pay')
  if (avoid.by > 0) return avoid.text
  if (safe.by !== 0) return safe.text
  if (avoid.by < 0) return avoid.text
  return `As many endpoints are safe to pay as on ${formatDate(Date.parse(first.date))}: ${last.byVerdict.safe}`
}
