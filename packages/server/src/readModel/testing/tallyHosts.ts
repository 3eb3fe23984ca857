import { type Status, type StatusFeed, VERDICTS } from '@touchstone402/shared'
import type { Time } from '../../facts/facts.ts'
import type { EndpointState, HostDocument } from '../../facts/hostDocument.ts'
import { median } from '../../judge/prices.ts'
import { describeRow, isListed, judgeHost } from '../../publish/profile.ts'
import type { Tally } from '../../publish/tally.ts'
import { currentVerdict, isLive } from '../../publish/verdict.ts'

const TOP = 10

/** Leaves out what no directory and no document of its host names: the index does not count it. */
export const onlyListed = (hosts: readonly HostDocument[]): HostDocument[] =>
  hosts
    .map((host) => ({ ...host, endpoints: host.endpoints.filter(isListed) }))
    .filter(({ endpoints }) => endpoints.length > 0)

/** Counts all listed hosts in one pass: the plain reference of totals. */
export function tallyHosts(all: readonly HostDocument[], now: Time): Tally {
  const hosts = onlyListed(all)
  const statuses = new Map<Status, number>()
  const byLevel: Counts = new Map()
  const byFlag: Counts = new Map()
  const byVerdict: Counts = new Map()
  const byDirectory: Counts = new Map()
  const stabilities: Counts = new Map()
  const receivers: Counts = new Map()
  const hostVerdicts: Counts = new Map()
  const pricesUsd: number[] = []
  const directories = new Map<string, Audit>()
  const healthy: EndpointState[] = []
  const providers: Tally['topProviders'] = []
  for (const { host, endpoints } of hosts) {
    const { verdict: hostVerdict, trustScore } = judgeHost(endpoints, now)
    count(hostVerdicts, hostVerdict)
    let live = 0
    for (const endpoint of endpoints) {
      const { status, verdict, riskLevel } = currentVerdict(endpoint, now)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      count(byLevel, riskLevel)
      count(byVerdict, verdict)
      for (const flag of endpoint.flags) count(byFlag, flag)
      for (const directory of endpoint.listedBy) count(byDirectory, directory)
      auditListings(directories, endpoint, status)
      if (verdict === 'safe' && hostVerdict === 'safe' && isListed(endpoint)) healthy.push(endpoint)
      if (status !== 'live') continue
      if (isListed(endpoint)) live++
      count(stabilities, endpoint.receiverStability ?? 'blank')
      count(receivers, endpoint.receiverProfile ?? 'blank')
      if (endpoint.priceUsd !== null) pricesUsd.push(endpoint.priceUsd)
    }
    if (hostVerdict === 'safe') providers.push({ host, live, trustScore })
  }
  healthy.sort((a, b) => (b.score ?? 0) - (a.score ?? 0) || inOrder(a.endpoint, b.endpoint))
  providers.sort(
    (a, b) => b.live - a.live || (b.trustScore ?? 0) - (a.trustScore ?? 0) || inOrder(a.host, b.host),
  )
  return {
    now,
    hosts: hosts.length,
    hostVerdicts: Object.fromEntries(hostVerdicts),
    workingHosts: hosts.filter(({ endpoints }) => endpoints.some((one) => isListed(one) && isLive(one, now)))
      .length,
    statuses,
    risks: {
      byLevel: Object.fromEntries(byLevel),
      byFlag: Object.fromEntries(byFlag),
      byVerdict: Object.fromEntries(byVerdict),
      byDirectory: Object.fromEntries(byDirectory),
    },
    stabilities: Object.fromEntries(stabilities),
    receivers: Object.fromEntries(receivers),
    medianPriceUsd: pricesUsd.length === 0 ? null : median(pricesUsd),
    directories: [...directories].sort(([a], [b]) => inOrder(a, b)).map(describeAudit),
    topHealthy: healthy.slice(0, TOP).map((endpoint) => describeRow(endpoint, now)),
    topProviders: providers.slice(0, TOP),
  }
}

/** Sorts hosts by verdict, then score, then name: the plain reference of the index `services`. */
export function sortHosts(hosts: readonly HostDocument[], now: Time): string[] {
  const judged = onlyListed(hosts).map(({ host, endpoints }) => ({ host, ...judgeHost(endpoints, now) }))
  return judged
    .sort(
      (a, b) =>
        VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict) ||
        (b.trustScore ?? -1) - (a.trustScore ?? -1) ||
        inOrder(a.host, b.host),
    )
    .map(({ host }) => host)
}

type Audit = { listed: number; claimedHealthy: number; measured: number; working: number }

function auditListings(
  audits: Map<string, Audit>,
  { listedBy, listings }: EndpointState,
  status: Status,
): void {
  for (const directory of listedBy) {
    const audit = audits.get(directory) ?? { listed: 0, claimedHealthy: 0, measured: 0, working: 0 }
    audits.set(directory, audit)
    audit.listed++
    const listing = listings.find((known) => known.directory === directory)
    if (listing?.claims.healthy !== false) audit.claimedHealthy++
    if (status !== 'unmeasured') audit.measured++
    if (status === 'live') audit.working++
  }
}

function describeAudit([directory, audit]: [string, Audit]): StatusFeed['catalogAudit'][number] {
  const { listed, claimedHealthy, measured, working } = audit
  const accuracyPct = measured === 0 ? null : Math.round((1000 * working) / measured) / 10
  return { directory, listed, claimedHealthy, working, accuracyPct }
}

type Counts = Map<string, number>

function count(counts: Counts, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function inOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
