import { VERDICTS } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import type { EndpointRow, EndpointState, HostRank, HostSummary } from '../facts/hostDocument.ts'
import { isListed, judgeHost } from './profile.ts'
import { isLive } from './verdict.ts'
import { isNetworkUnknown, isOptedOut, isUnread } from './whyUnknown.ts'

/** Returns what lists and totals show of an endpoint. */
export function toRow(state: EndpointState): EndpointRow {
  const unhealthyIn = state.listedBy.filter(
    (directory) =>
      state.listings.find((listing) => listing.directory === directory)?.claims.healthy === false,
  )
  return {
    endpoint: state.endpoint,
    method: state.method,
    listedBy: state.listedBy,
    category: state.category,
    firstSeen: state.firstSeen,
    lastChecked: state.lastChecked,
    confirmedAt: state.confirmedAt,
    expiresAt: state.expiresAt,
    status: state.status,
    darkSince: state.darkSince,
    receiverUnconfirmed: state.receiverUnconfirmed,
    doubtful: state.doubtful,
    score: state.score,
    riskLevel: state.riskLevel,
    flags: state.flags,
    receiverProfile: state.receiverProfile,
    receiverStability: state.receiverStability,
    payTo: state.payTo,
    network: state.network,
    priceUsd: state.priceUsd,
    ...(state.delivery && { delivery: state.delivery }),
    uptime: state.uptime,
    scoreVersion: state.scoreVersion,
    ...(state.underIncident && { underIncident: true }),
    unhealthyIn,
    networkUnknown: isNetworkUnknown(state),
    ...(isOptedOut(state) && { optedOut: true }),
    ...(isUnread(state) && { documentsUnread: true }),
  }
}

/** Returns the place of a host in lists. */
export function rankHost({ endpoints }: HostSummary, now: Time): HostRank {
  const { verdict, trustScore } = judgeHost(endpoints, now)
  const ends = endpoints.flatMap(({ expiresAt }) =>
    expiresAt !== null && expiresAt > now ? [expiresAt] : [],
  )
  return {
    rank: 1000 * VERDICTS.indexOf(verdict) + (trustScore === null ? 101 : 100 - trustScore),
    live: endpoints.filter((endpoint) => isListed(endpoint) && isLive(endpoint, now)).length,
    firstSeen: Math.min(...endpoints.map((endpoint) => endpoint.firstSeen)),
    validUntil: ends.length === 0 ? null : Math.min(...ends),
  }
}
