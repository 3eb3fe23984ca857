import { CHANGE_KINDS, type Change, type Report, RISK_LEVELS, VERDICTS } from '@touchstone402/shared'
import { toDate, toTimestamp } from '../facts/times.ts'
import { SCORE_VERSION } from '../judge/spec.ts'
import { describeEcosystem } from './catalog.ts'
import type { Tally } from './tally.ts'

export type ReportInput = {
  readonly tally: Tally
  /** Number of incidents that are open, and of those detected in the last 24 hours. */
  readonly incidents: { readonly open: number; readonly recent: number }
  /** Those of the last 24 hours. */
  readonly changes: readonly Pick<Change, 'kind'>[]
}

/** Builds the daily report. */
export function describeReport({ tally, incidents, changes }: ReportInput): Report {
  const { now, hosts, risks } = tally
  const recent: Record<string, number> = {}
  for (const { kind } of changes) recent[kind] = (recent[kind] ?? 0) + 1
  const report = {
    date: toDate(now),
    asOf: toTimestamp(now),
    hosts,
    ...describeEcosystem(tally.statuses),
    medianPriceUsd: tally.medianPriceUsd,
    riskByLevel: countEach(RISK_LEVELS, risks.byLevel),
    byVerdict: countEach(VERDICTS, risks.byVerdict),
    hostsByVerdict: countEach(VERDICTS, tally.hostVerdicts),
    flagCounts: risks.byFlag,
    incidentsOpen: incidents.open,
    incidentsNew: incidents.recent,
    changes: countEach(CHANGE_KINDS, recent),
    scoreVersion: SCORE_VERSION,
    directories: tally.directories,
  }
  return { ...report, summary: summarise(report) }
}

/** Adds a zero for every name that did not occur. */
function countEach<K extends string>(
  names: readonly K[],
  counts: Readonly<Record<string, number>>,
): Record<K, number> {
  return Object.fromEntries(names.map((name) => [name, counts[name] ?? 0])) as Record<K, number>
}

function summarise(report: Omit<Report, 'summary'>): string {
  const { tracked, hosts, live, dead, invalid, unmeasured, byVerdict, medianPriceUsd, incidentsOpen } = report
  const price = medianPriceUsd === null ? '' : ` The median price is $${medianPriceUsd} a call.`
  return (
    `Services known: ${hosts}. Of ${tracked} endpoints ${live} are live, ${dead} dark, ${invalid} without a valid challenge and ` +
    `${unmeasured} not measured; ${byVerdict.safe} are safe to pay.${price} Open incidents: ${incidentsOpen}.`
  )
}
