import type { DatasetRecord, VerdictCode } from '@touchstone402/shared'
import type { ReceiverRecord, Time } from '../facts/facts.ts'
import type { EndpointState, HostDocument } from '../facts/hostDocument.ts'
import type { Breathe } from './breathe.ts'
import { describeReceiver, type SharedBy } from './liveCheck.ts'
import { describeProfile, judgeHost } from './profile.ts'
import { currentVerdict } from './verdict.ts'

/** Which services of a dataset are wanted. */
export type ServiceQuery = {
  /** Whether those that are dead, invalid or not measured come too. */
  readonly all: boolean
  readonly limit: number
}

/** The services in their order, and how many there are without the limit. */
export type RankedServices = { readonly services: readonly HostDocument[]; readonly total: number }

/** By verdict before score: a service with a high risk may have every other point. */
const BEST_FIRST: readonly VerdictCode[] = ['safe', 'caution', 'unknown', 'avoid']
/** More scores than there are, 0 to 100 and none. */
const SCORES = 102

/**
 * Puts services into order: by verdict, then score, then host.
 * @param hosts in the order of their names
 */
export async function rankServices(
  hosts: readonly HostDocument[],
  { all, limit }: ServiceQuery,
  now: Time,
  breathe: Breathe,
): Promise<RankedServices> {
  const byRank = new Map<number, HostDocument[]>()
  let total = 0
  for (const host of hosts) {
    const pause = breathe()
    if (pause !== undefined) await pause
    if (!all && !isWorking(host, now)) continue
    total++
    const { verdict, trustScore } = judgeHost(host.endpoints, now)
    const rank = (BEST_FIRST.indexOf(verdict) + 1) * SCORES - (trustScore ?? -1)
    const equals = byRank.get(rank)
    if (equals === undefined) byRank.set(rank, [host])
    else equals.push(host)
  }
  const ranks = [...byRank.keys()].sort((a, b) => a - b)
  return { services: ranks.flatMap((rank) => byRank.get(rank) ?? []).slice(0, limit), total }
}

/** Whether a service has an endpoint that is live. */
export function isWorking({ endpoints }: HostDocument, now: Time): boolean {
  return endpoints.some((endpoint) => currentVerdict(endpoint, now).status === 'live')
}

/**
 * One service as the datasets carry it.
 * @param receivers newest record of each receiver, by `network address` in lower case
 */
export function describeRecord(
  document: HostDocument,
  receivers: ReadonlyMap<string, ReceiverRecord>,
  sharedBy: SharedBy,
  now: Time,
): DatasetRecord {
  const profile = describeProfile(document, now)
  const { endpoints } = document
  const live = endpoints.filter((endpoint) => currentVerdict(endpoint, now).status === 'live')
  const record = receivers.get(findReceiver(live.length > 0 ? live : endpoints) ?? '')
  // Field by field: copying all but one makes a slow object, and 50,000 of those fill the memory between collections.
  return {
    host: profile.host,
    verdict: profile.verdict,
    label: profile.label,
    trustScore: profile.trustScore,
    liveness: profile.liveness,
    uptime: profile.uptime,
    pricePerCall: profile.pricePerCall,
    network: profile.network,
    receiverProfile: profile.receiver,
    receiverStability: profile.receiverStability,
    riskLevel: profile.riskLevel,
    flags: profile.flags,
    listedBy: profile.listedBy,
    firstSeen: profile.firstSeen,
    lastChecked: profile.lastChecked,
    probes: profile.probes,
    endpoints: profile.endpoints,
    receiver:
      record === undefined ? null : describeReceiver(record, sharedBy(record.network, record.address)),
    payToHistory: endpoints.flatMap(({ endpoint, payToHistory }) =>
      payToHistory.map(({ payTo, from, to, proof }) => ({ endpoint, payTo, from, to, proof })),
    ),
    priceHistory: endpoints.flatMap(({ endpoint, priceHistory }) =>
      priceHistory.map(({ priceUsd, amountAtomic, from, to }) => ({
        endpoint,
        priceUsd,
        amountAtomic,
        from,
        to,
      })),
    ),
    notice: profile.notice,
    scoreVersion: profile.scoreVersion,
  }
}

/** The receiver that most of the endpoints name, as `network address` in lower case. */
function findReceiver(endpoints: readonly EndpointState[]): string | undefined {
  const counts = new Map<string, number>()
  for (const { network, payTo } of endpoints) {
    if (network === null || payTo === null) continue
    const key = `${network} ${payTo}`.toLowerCase()
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0]
}
