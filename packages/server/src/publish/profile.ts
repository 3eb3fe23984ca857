import {
  findKnownNetwork,
  type Profile,
  type ReceiverStability,
  VERDICT_LABELS,
  type VerdictCode,
} from '@touchstone402/shared'
import { formatDollars } from '../facts/dollars.ts'
import type { Time } from '../facts/facts.ts'
import type { EndpointBrief, HostSummary } from '../facts/hostDocument.ts'
import { toDate } from '../facts/times.ts'
import { median } from '../judge/prices.ts'
import { LIMITS, SCORE_VERSION } from '../judge/spec.ts'
import { overrulingFlags, publishedRisk } from './overruled.ts'
import { currentVerdict, isLive } from './verdict.ts'

/** Verdicts, worst first. */
export const WORST_FIRST: readonly VerdictCode[] = ['avoid', 'caution', 'unknown', 'safe']
const STABILITY_WORST_FIRST: readonly ReceiverStability[] = ['changed', 'new', 'stable']

/** Notice on every profile. */
export const PROFILE_NOTICE = 'This verdict reflects the last crawl. Use the live check /trust before paying.'

/** A host, as its document or as its summary. */
export type ProfiledHost = Omit<HostSummary, 'endpoints'> & { readonly endpoints: readonly EndpointBrief[] }

/** Builds the trust profile of a host of the index, which holds at least one listed endpoint. */
export function describeProfile(document: ProfiledHost, now: Time): Profile {
  const { host } = document
  const endpoints = document.endpoints.filter(isListed)
  const live = endpoints.filter((endpoint) => isLive(endpoint, now))
  const counted = withoutSandboxes(endpoints)
  const working = counted.filter((endpoint) => live.includes(endpoint))
  const judged =
    working.length > 0 ? counted.filter((one) => working.includes(one) || one.underIncident) : counted
  const { verdict, trustScore, darkSince } = judgeHost(endpoints, now)
  const flags = [...new Set(judged.flatMap((endpoint) => endpoint.flags))].sort()
  const lastChecked = Math.max(...endpoints.map((endpoint) => endpoint.lastChecked ?? 0))
  const { text, probes } = describeUptime(endpoints)
  return {
    host,
    verdict,
    label: VERDICT_LABELS[verdict],
    trustScore,
    darkSince,
    liveness: `${live.length}/${endpoints.length}`,
    uptime: text,
    pricePerCall: describePrices(judged),
    network: [...new Set(judged.flatMap(({ network }) => (network === null ? [] : [nameOf(network)])))].join(
      ', ',
    ),
    receiver: worstReceiver(judged),
    receiverStability:
      STABILITY_WORST_FIRST.find((stability) =>
        judged.some((endpoint) => endpoint.receiverStability === stability),
      ) ?? null,
    riskLevel: publishedRisk(verdict, flags),
    flags,
    overruledBy: overrulingFlags(verdict, trustScore, flags),
    listedBy: [...new Set(endpoints.flatMap(({ listedBy }) => listedBy))].sort(),
    firstSeen: toDate(Math.min(...endpoints.map(({ firstSeen }) => firstSeen))),
    lastChecked: lastChecked === 0 ? null : toDate(lastChecked),
    probes,
    endpoints: endpoints.map((endpoint) => describeRow(endpoint, now)),
    notice: PROFILE_NOTICE,
    scoreVersion: endpoints.map((endpoint) => endpoint.scoreVersion).sort()[0] ?? SCORE_VERSION,
  }
}

/** Builds the row of an endpoint in its host's profile. */
export function describeRow(endpoint: EndpointBrief, now: Time): Profile['endpoints'][number] {
  const { status, darkSince, verdict, score, riskLevel, overruledBy } = currentVerdict(endpoint, now)
  return {
    endpoint: endpoint.endpoint,
    method: endpoint.method,
    status,
    darkSince,
    verdict,
    delivery: endpoint.delivery ?? null,
    priceUsd: endpoint.priceUsd,
    uptimePct: endpoint.uptime.pct,
    probes: endpoint.uptime.up + endpoint.uptime.down,
    trust: score,
    riskLevel,
    flags: [...endpoint.flags],
    overruledBy,
  }
}

/**
 * Returns whether an endpoint is listed. An unlisted one was submitted or scanned by a stranger: it counts for itself,
 * not for its host, until a document of the host or a directory names it.
 */
export const isListed = ({ listedBy }: Pick<EndpointBrief, 'listedBy'>): boolean => listedBy.length > 0

/** Leaves out the endpoints that settle on test networks alone, unless a host has no others. */
function withoutSandboxes(endpoints: readonly EndpointBrief[]): readonly EndpointBrief[] {
  const isSandbox = ({ flags, network, underIncident }: EndpointBrief) =>
    flags.includes('network_testnet') &&
    underIncident !== true &&
    findKnownNetwork(network ?? '')?.testnet === true
  const real = endpoints.filter((endpoint) => !isSandbox(endpoint))
  return real.length > 0 ? real : endpoints
}

/**
 * Judges a host by its listed endpoints: the median score and the worst verdict of those that are live, and avoid while
 * one that went away is under a critical incident. Without a live endpoint the verdict is avoid at 0, dark since the last
 * outage began; if nothing was measured, or none is listed, it is unknown without a score. A sandbox on a test network
 * does not count beside other endpoints.
 */
export function judgeHost(
  endpoints: readonly EndpointBrief[],
  now: Time,
): Pick<Profile, 'verdict' | 'trustScore' | 'darkSince'> {
  const listed = withoutSandboxes(endpoints.filter(isListed))
  const current = listed.map((endpoint) => currentVerdict(endpoint, now))
  const live = current.filter(({ status }) => status === 'live')
  if (live.length > 0) {
    const isAccused = listed.some(({ underIncident }) => underIncident)
    const verdict = isAccused
      ? 'avoid'
      : (WORST_FIRST.find((code) => live.some((endpoint) => endpoint.verdict === code)) ?? 'unknown')
    return { verdict, trustScore: Math.round(median(live.map(({ score }) => score ?? 0))), darkSince: null }
  }
  const outages = current.flatMap(({ darkSince }) => darkSince ?? []).sort()
  return current.some(({ verdict }) => verdict === 'avoid')
    ? { verdict: 'avoid', trustScore: 0, darkSince: outages.at(-1) ?? null }
    : { verdict: 'unknown', trustScore: null, darkSince: null }
}

/**
 * States the uptime of a host, the mean of its endpoints weighted by their probes: `95.35% of 43 of our probes`, or
 * `62% of the time; 40 of 43 of our probes` where the time that failures lasted says less than their number.
 */
function describeUptime(endpoints: readonly EndpointBrief[]): { text: string; probes: number } {
  const measured = endpoints.map(({ uptime }) => ({ ...uptime, probes: uptime.up + uptime.down }))
  const probes = measured.reduce((sum, one) => sum + one.probes, 0)
  if (probes < LIMITS.uptimeMinProbes) {
    return { text: `too few to state (${probes} ${probes === 1 ? 'probe' : 'probes'})`, probes }
  }
  const up = measured.reduce((sum, one) => sum + one.up, 0)
  const pct = measured.reduce((sum, one) => {
    return one.probes === 0 ? sum : sum + (one.probes / probes) * (one.pct ?? (100 * one.up) / one.probes)
  }, 0)
  const stated = `${Math.round(100 * pct) / 100}%`
  // Each percentage is rounded to two decimals.
  const isByTime = (100 * up) / probes - pct > 0.01
  const text = isByTime
    ? `${stated} of the time; ${up} of ${probes} of our probes`
    : `${stated} of ${probes} of our probes`
  return { text, probes }
}

function describePrices(endpoints: readonly EndpointBrief[]): string {
  const prices = endpoints.flatMap(({ priceUsd }) => (priceUsd === null ? [] : [priceUsd]))
  if (prices.length === 0) return 'unknown'
  const min = Math.min(...prices)
  const max = Math.max(...prices)
  return min === max ? formatDollars(min) : `${formatDollars(min)}-${formatDollars(max)}`
}

function worstReceiver(endpoints: readonly EndpointBrief[]): Profile['receiver'] {
  if (endpoints.some(({ receiverProfile }) => receiverProfile === 'dormant')) return 'dormant'
  return endpoints.length > 0 && endpoints.every(({ receiverProfile }) => receiverProfile === 'established')
    ? 'established'
    : null
}

const nameOf = (network: string) => findKnownNetwork(network)?.label ?? network
