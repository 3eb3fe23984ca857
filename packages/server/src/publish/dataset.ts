import { type DatasetRecord, networkAddressKey, type ReceiverFacts } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import type { HostDocument } from '../facts/hostDocument.ts'
import { describeProfile, type ProfiledHost } from './profile.ts'
import { isLive } from './verdict.ts'

/** Query of a dataset. */
export type ServiceQuery = {
  /** Whether to include services without a live endpoint. */
  readonly all: boolean
  readonly limit: number
}

/**
 * Builds the dataset record of a service.
 * @param receiver facts about the service's receiver, if any are known, see {@link findReceiver}
 */
export function describeRecord(
  document: HostDocument,
  receiver: ReceiverFacts | null,
  now: Time,
): DatasetRecord {
  const profile = describeProfile(document, now)
  const { endpoints } = document
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
    receiver,
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

/** A receiver as an endpoint names it. */
type NamedReceiver = { readonly network: string; readonly payTo: string }

/** Returns the receiver that most live endpoints of a service name, or without a live one most of all. */
export function findReceiver({ endpoints }: ProfiledHost, now: Time): NamedReceiver | undefined {
  const live = endpoints.filter((endpoint) => isLive(endpoint, now))
  const counts = new Map<string, { named: NamedReceiver; count: number }>()
  for (const { network, payTo } of live.length > 0 ? live : endpoints) {
    if (network === null || payTo === null) continue
    const key = networkAddressKey(network, payTo)
    const known = counts.get(key)
    if (known === undefined) counts.set(key, { named: { network, payTo }, count: 1 })
    else known.count++
  }
  return [...counts.values()].sort((a, b) => b.count - a.count)[0]?.named
}
