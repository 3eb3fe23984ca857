import {
  CHANGE_KINDS,
  type Change,
  type Incident,
  type Report,
  RISK_LEVELS,
  VERDICTS,
} from '@touchstone402/shared'
import { DAY, toDate, toTimestamp } from '../facts/times.ts'
import { median } from '../judge/prices.ts'
import { SCORE_VERSION } from '../judge/spec.ts'
import { describeEcosystem } from './ecosystem.ts'
import type { Tally } from './tally.ts'

export type ReportInput = {
  readonly tally: Tally
  /** In their latest state; at least the open ones and those of the last 24 hours. */
  readonly incidents: readonly Incident[]
  /** At least those of the last 24 hours. */
  readonly changes: readonly Change[]
}

/** Builds the daily report. */
export function describeReport({ tally, incidents, changes }: ReportInput): Report {
  const { now, hosts, risks, pricesUsd } = tally
  const isRecent = (at: string) => Date.parse(at) > now - DAY
  const recent: Record<string, number> = {}
  for (const { at, kind } of changes) if (isRecent(at)) recent[kind] = (recent[kind] ?? 0) + 1
  const report = {
    date: toDate(now),
    asOf: toTimestamp(now),
    hosts,
    ...describeEcosystem(tally.statuses),
    medianPriceUsd: pricesUsd.length === 0 ? null : median(pricesUsd),
    riskByLevel: countEach(RISK_LEVELS, risks.byLevel),
    byVerdict: countEach(VERDICTS, risks.byVerdict),
    flagCounts: risks.byFlag,
    incidentsOpen: incidents.filter(({ status }) => status === 'open').length,
    incidentsNew: incidents.filter(({ detectedAt }) => isRecent(detectedAt)).length,
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
    `Of ${tracked} endpoints on ${hosts} hosts ${live} are live, ${dead} dark, ${invalid} without a valid challenge and ` +
    `${unmeasured} not measured; ${byVerdict.safe} are safe to pay.${price} Open incidents: ${incidentsOpen}.`
  )
}
