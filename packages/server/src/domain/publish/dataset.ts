import { type DatasetRecord, networkAddressKey, VERDICTS } from '@touchstone402/shared'
import type { ReceiverRecord, Time } from '../facts/facts.ts'
import type { EndpointState, HostDocument } from '../facts/hostDocument.ts'
import type { Breathe } from './breathe.ts'
import { countUp } from './ecosystem.ts'
import { describeReceiver, type SharedBy } from './liveCheck.ts'
import { describeProfile, judgeHost, type ProfiledHost } from './profile.ts'
import { isLive } from './verdict.ts'

/** Query of a dataset. */
export type ServiceQuery = {
  /** Whether to include services without a live endpoint. */
  readonly all: boolean
  readonly limit: number
}

/** The services in order, and their number without the limit. */
export type RankedServices = { readonly services: readonly HostDocument[]; readonly total: number }

/** More than the number of scores: 0 to 100, and none. */
const SCORES = 102

/**
 * Ranks services by verdict, then score, then host.
 * @param hosts sorted by name
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
    // Verdict before score, since a service at high risk may have all other points.
    const rank = (VERDICTS.indexOf(verdict) + 1) * SCORES - (trustScore ?? -1)
    const equals = byRank.get(rank)
    if (equals === undefined) byRank.set(rank, [host])
    else equals.push(host)
  }
  const ranks = [...byRank.keys()].sort((a, b) => a - b)
  return { services: ranks.flatMap((rank) => byRank.get(rank) ?? []).slice(0, limit), total }
}

/** Whether a service has a live endpoint. */
export function isWorking({ endpoints }: ProfiledHost, now: Time): boolean {
  return endpoints.some((endpoint) => isLive(endpoint, now))
}

/**
 * Builds the dataset record of a service.
 * @param receivers newest record of each receiver, by `networkAddressKey`
 */
export function describeRecord(
  document: HostDocument,
  receivers: ReadonlyMap<string, ReceiverRecord>,
  sharedBy: SharedBy,
  now: Time,
): DatasetRecord {
  const profile = describeProfile(document, now)
  const { endpoints } = document
  const live = endpoints.filter((endpoint) => isLive(endpoint, now))
  const record = receivers.get(findReceiver(live.length > 0 ? live : endpoints) ?? '')
  // Field by field: a rest copy creates a slow object, and 50,000 of them cause GC pressure.
  return {
    host: profile.host,
    verdict: profile.verdict,
    label: profile.label,
    trustScore: profile.trustScore,
    liveness: profile.liveness,
    darkSince: profile.darkSince,
    uptime: profile.uptime,
    pricePerCall: profile.pricePerCall,
    network: profile.network,
    receiverProfile: profile.receiver,
    receiverStability: profile.receiverStability,
    riskLevel: profile.riskLevel,
    flags: profile.flags,
    overruledBy: profile.overruledBy,
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

/** Returns the key of the receiver that most endpoints name. */
function findReceiver(endpoints: readonly EndpointState[]): string | undefined {
  const counts = new Map<string, number>()
  for (const { network, payTo } of endpoints) {
    if (network === null || payTo === null) continue
    countUp(counts, networkAddressKey(network, payTo))
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0]
}
