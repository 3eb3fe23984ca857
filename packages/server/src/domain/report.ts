import {
  CHANGE_KINDS,
  type Change,
  type Incident,
  type Report,
  RISK_LEVELS,
  VERDICTS,
} from '@touchstone402/shared'
import { auditDirectories, countBy } from './catalog.ts'
import type { Time } from './facts.ts'
import type { HostDocument } from './hostDocument.ts'
import { median } from './prices.ts'
import { DAY, SCORE_VERSION } from './spec.ts'
import { currentVerdict, toDate, toTimestamp } from './verdict.ts'

export type ReportInput = {
  readonly hosts: readonly HostDocument[]
  /** In their latest state; at least those that are open and those of the last 24 hours. */
  readonly incidents: readonly Incident[]
  /** At least those of the last 24 hours. */
  readonly changes: readonly Change[]
  readonly now: Time
}

/** The state of the ecosystem at one moment: what the report of that day says. */
export function describeReport({ hosts, incidents, changes, now }: ReportInput): Report {
  const endpoints = hosts.flatMap((host) => host.endpoints)
  const current = endpoints.map((endpoint) => currentVerdict(endpoint, now))
  const statuses = countBy(current, ({ status }) => [status])
  const tracked = endpoints.length
  const dead = statuses.dark ?? 0
  const prices = endpoints.flatMap(({ priceUsd }, index) =>
    current[index]?.status === 'live' && priceUsd !== null ? [priceUsd] : [],
  )
  const isRecent = (at: string) => Date.parse(at) > now - DAY
  const recent = countBy(
    changes.filter(({ at }) => isRecent(at)),
    ({ kind }) => [kind],
  )
  const report = {
    date: toDate(now),
    asOf: toTimestamp(now),
    hosts: hosts.length,
    tracked,
    live: statuses.live ?? 0,
    dead,
    invalid: statuses.invalid ?? 0,
    unmeasured: statuses.unmeasured ?? 0,
    deadPct: tracked === 0 ? 0 : Math.round((1000 * dead) / tracked) / 10,
    medianPriceUsd: prices.length === 0 ? null : median(prices),
    riskByLevel: countEach(
      RISK_LEVELS,
      countBy(endpoints, ({ riskLevel }) => [riskLevel]),
    ),
    byVerdict: countEach(
      VERDICTS,
      countBy(current, ({ verdict }) => [verdict]),
    ),
    flagCounts: countBy(endpoints, ({ flags }) => flags),
    incidentsOpen: incidents.filter(({ status }) => status === 'open').length,
    incidentsNew: incidents.filter(({ detectedAt }) => isRecent(detectedAt)).length,
    changes: countEach(CHANGE_KINDS, recent),
    scoreVersion: SCORE_VERSION,
    directories: auditDirectories(endpoints, now),
  }
  return { ...report, summary: summarise(report) }
}

/** The counts with a zero for every name that did not occur. */
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
