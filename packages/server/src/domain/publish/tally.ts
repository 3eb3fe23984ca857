import type { RiskMap, Status, StatusFeed } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import type { EndpointState, HostDocument } from '../facts/hostDocument.ts'
import type { Breathe } from './breathe.ts'
import { countUp } from './ecosystem.ts'
import { describeRow, judgeHost } from './profile.ts'
import { createTop } from './top.ts'
import { currentVerdict } from './verdict.ts'

type Provider = StatusFeed['topProviders'][number]
type Healthy = StatusFeed['topHealthy'][number]

/** Counts over all endpoints. */
export type Tally = {
  readonly now: Time
  readonly hosts: number
  readonly statuses: ReadonlyMap<Status, number>
  readonly risks: Readonly<RiskMap>
  /** Of live endpoints. */
  readonly stabilities: Readonly<Record<string, number>>
  /** Of live endpoints. */
  readonly receivers: Readonly<Record<string, number>>
  /** Of live endpoints, in dollars, unordered. */
  readonly pricesUsd: readonly number[]
  /** Claims of each directory compared with measurements, sorted by name. */
  readonly directories: StatusFeed['catalogAudit']
  /** Safe endpoints of safe hosts, best first. */
  readonly topHealthy: readonly Healthy[]
  /** Safe hosts, those with the most live endpoints first. */
  readonly topProviders: readonly Provider[]
}

/** Length of the top lists. */
const TOP = 10

/** Counts all hosts at a given time in one pass. Yields to the event loop in between. */
export async function tallyHosts(
  hosts: readonly HostDocument[],
  now: Time,
  breathe: Breathe,
): Promise<Tally> {
  const statuses = new Map<Status, number>()
  const risks: RiskMap = { byLevel: {}, byFlag: {}, byVerdict: {}, byDirectory: {} }
  const stabilities: Record<string, number> = {}
  const receivers: Record<string, number> = {}
  const pricesUsd: number[] = []
  const directories = new Map<string, Audit>()
  const healthy = createTop<EndpointState>(
    TOP,
    (a, b) => (b.score ?? 0) - (a.score ?? 0) || inOrder(a.endpoint, b.endpoint),
  )
  const providers = createTop<Provider>(
    TOP,
    (a, b) => b.live - a.live || (b.trustScore ?? 0) - (a.trustScore ?? 0) || inOrder(a.host, b.host),
  )
  for (const { host, endpoints } of hosts) {
    const pause = breathe()
    if (pause !== undefined) await pause
    const { verdict: hostVerdict, trustScore } = judgeHost(endpoints, now)
    let live = 0
    for (const endpoint of endpoints) {
      const { status, verdict, riskLevel } = currentVerdict(endpoint, now)
      countUp(statuses, status)
      count(risks.byLevel, riskLevel)
      count(risks.byVerdict, verdict)
      for (const flag of endpoint.flags) count(risks.byFlag, flag)
      for (const directory of endpoint.listedBy) count(risks.byDirectory, directory)
      auditListings(directories, endpoint, status)
      if (verdict === 'safe' && hostVerdict === 'safe') healthy.add(endpoint)
      if (status !== 'live') continue
      live++
      count(stabilities, endpoint.receiverStability ?? 'blank')
      count(receivers, endpoint.receiverProfile ?? 'blank')
      if (endpoint.priceUsd !== null) pricesUsd.push(endpoint.priceUsd)
    }
    if (hostVerdict === 'safe') providers.add({ host, live, trustScore })
  }
  return {
    now,
    hosts: hosts.length,
    statuses,
    risks,
    stabilities,
    receivers,
    pricesUsd,
    directories: [...directories].sort(([a], [b]) => inOrder(a, b)).map(describeAudit),
    topHealthy: healthy.list().map((endpoint) => describeRow(endpoint, now)),
    topProviders: providers.list(),
  }
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
    // Without a stated health, a listing is a claim to be healthy.
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

function count(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1
}

function inOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
