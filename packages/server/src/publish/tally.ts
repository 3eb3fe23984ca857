import { type RiskMap, STATUSES, type Status, type StatusFeed, type VerdictCode } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import type { EndpointGroup, Totals } from '../facts/totals.ts'
import { countPrices, medianOf } from './categoryPrice.ts'
import { publishedRisk } from './overruled.ts'
import { describeRow } from './profile.ts'
import { sharePct } from './sharePct.ts'

/** Counts over all endpoints. */
export type Tally = {
  readonly now: Time
  readonly hosts: number
  /** Number of hosts by verdict. */
  readonly hostVerdicts: Readonly<Partial<Record<VerdictCode, number>>>
  /** Number of hosts with a live endpoint. */
  readonly workingHosts: number
  readonly statuses: ReadonlyMap<Status, number>
  readonly risks: Readonly<RiskMap>
  /** Of live endpoints. */
  readonly stabilities: Readonly<Record<string, number>>
  /** Of live endpoints. */
  readonly receivers: Readonly<Record<string, number>>
  /** Of live endpoints with a known price, in dollars; null without any. */
  readonly medianPriceUsd: number | null
  /** Claims of each directory compared with measurements, sorted by name. */
  readonly directories: StatusFeed['catalogAudit']
  /** Safe endpoints of safe hosts, best first. */
  readonly topHealthy: StatusFeed['topHealthy']
  /** Safe hosts, those with the most live endpoints first. */
  readonly topProviders: StatusFeed['topProviders']
}

/** Counts by a name. */
type Counts = Map<string, number>

const add = (counts: Counts, name: string, count: number) => counts.set(name, (counts.get(name) ?? 0) + count)

/** Makes a tally of totals. */
export function describeTally({ at, endpoints, hosts, providers, healthy }: Totals): Tally {
  const hostVerdicts: Counts = new Map()
  for (const { verdict, count } of hosts) add(hostVerdicts, verdict, count)
  const sum = (groups: readonly { readonly count: number }[]) =>
    groups.reduce((total, { count }) => total + count, 0)
  const statuses: Counts = new Map()
  const byVerdict: Counts = new Map()
  const byLevel: Counts = new Map()
  const byFlag: Counts = new Map()
  const stabilities: Counts = new Map()
  const receivers: Counts = new Map()
  for (const { status, verdict, flags, count, stability, receiverProfile } of endpoints) {
    add(statuses, status, count)
    add(byVerdict, verdict, count)
    add(byLevel, publishedRisk(verdict, flags), count)
    for (const flag of flags) add(byFlag, flag, count)
    if (status !== 'live') continue
    add(stabilities, stability ?? 'blank', count)
    add(receivers, receiverProfile ?? 'blank', count)
  }
  const names = new Set(endpoints.flatMap(({ listedBy }) => listedBy))
  const directories = [...names].sort().map((directory) => describeAudit(directory, endpoints))
  const prices = countPrices(endpoints)
  return {
    now: at,
    hosts: sum(hosts),
    hostVerdicts: toRecord(hostVerdicts),
    workingHosts: sum(hosts.filter(({ isWorking }) => isWorking)),
    statuses: new Map(
      STATUSES.filter((status) => statuses.has(status)).map((status) => [status, statuses.get(status) ?? 0]),
    ),
    risks: {
      byLevel: toRecord(byLevel),
      byFlag: toRecord(byFlag),
      byVerdict: toRecord(byVerdict),
      byDirectory: Object.fromEntries(directories.map(({ directory, listed }) => [directory, listed])),
    },
    stabilities: toRecord(stabilities),
    receivers: toRecord(receivers),
    medianPriceUsd: prices.size === 0 ? null : medianOf(prices),
    directories,
    topHealthy: healthy.map((row) => describeRow(row, at)),
    topProviders: [...providers],
  }
}

function describeAudit(
  directory: string,
  endpoints: readonly EndpointGroup[],
): StatusFeed['catalogAudit'][number] {
  const audit = { directory, listed: 0, claimedHealthy: 0, working: 0 }
  let measured = 0
  for (const { listedBy, unhealthyIn, status, count } of endpoints) {
    if (!listedBy.includes(directory)) continue
    audit.listed += count
    // Without a stated health, a listing is a claim to be healthy.
    if (!unhealthyIn.includes(directory)) audit.claimedHealthy += count
    if (status !== 'unmeasured') measured += count
    if (status === 'live') audit.working += count
  }
  const accuracyPct = measured === 0 ? null : sharePct(audit.working, measured)
  return { ...audit, accuracyPct }
}

// A record made of entries is safe for any name, such as `__proto__`.
const toRecord = (counts: ReadonlyMap<string, number>): Record<string, number> =>
  Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
