import { networkAddressKey, VERDICTS, type VerdictCode } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import type { EndpointRow, EndpointState, HostSummary } from '../facts/hostDocument.ts'
import { isCategory } from '../judge/memory/prices.ts'
import { isWorking } from './dataset.ts'
import { judgeHost } from './profile.ts'
import { currentVerdict } from './verdict.ts'
import { isNetworkUnknown, isOptedOut } from './whyUnknown.ts'

/**
 * The orders in which hosts and endpoints are listed; each key ends with a tab and the host or endpoint.
 * `services` and `working`: best verdict, best score, host; `working` has hosts with a live endpoint only.
 * `providers`: safe hosts, most live endpoints and best score first. `healthy`: safe endpoints of safe hosts, best score
 * first. `age`: hosts, first seen first. `names`: hosts.
 */
export type RankedIndex = 'services' | 'working' | 'providers' | 'healthy' | 'age' | 'names'

/** Contribution of a host to totals and indexes, as of a time. */
export type HostIndex = {
  /** Additions to totals by name; the names are made by {@link countName}. */
  readonly counts: ReadonlyMap<string, number>
  readonly entries: readonly { readonly index: RankedIndex; readonly key: string }[]
  /** Time from which it differs, since a verdict expires then; infinity if none does. */
  readonly validUntil: Time
}

/** Most live endpoints that the order of providers tells apart. */
const MOST_LIVE = 99_999
const AGE_DIGITS = 15

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
    uptime: state.uptime,
    scoreVersion: state.scoreVersion,
    unhealthyIn,
    networkUnknown: isNetworkUnknown(state),
    ...(isOptedOut(state) && { optedOut: true }),
  }
}

/** Replaces an endpoint's row in the summary of its host. */
export function updateSummary(before: HostSummary | undefined, state: EndpointState): HostSummary {
  const others = (before?.endpoints ?? []).filter(({ endpoint }) => endpoint !== state.endpoint)
  const endpoints = [...others, toRow(state)].sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1))
  return { host: state.host, endpoints, updatedAt: state.derivedAt }
}

/** Builds the name of a total. Parts may hold any text of a seller or directory. */
export function countName(...parts: readonly string[]): string {
  // A lone surrogate, which JSON allows, has no encoding.
  return parts.map((part) => encodeURIComponent(part.replace(/\p{Surrogate}/gu, '\ufffd'))).join('/')
}

/** Splits the name of a total into its parts. */
export function readCountName(name: string): string[] {
  return name.split('/').map(decodeURIComponent)
}

/** Returns the host or endpoint that a key of an index ends with. */
export function readRanked(key: string): string {
  return key.slice(key.indexOf('\t') + 1)
}

/** Returns the prefix of the keys of `services` and `working` whose hosts have a verdict. */
export function rankPrefix(verdict: VerdictCode): string {
  return `${VERDICTS.indexOf(verdict)}`
}

/** Returns the time of a key of `age`. */
export function readAge(key: string): Time {
  return Number(key.slice(0, AGE_DIGITS))
}

/** Reads a key of `providers`. */
export function readProvider(key: string): { host: string; live: number; trustScore: number | null } {
  const lost = Number(key.slice(5, 8))
  return {
    host: readRanked(key),
    live: MOST_LIVE - Number(key.slice(0, 5)),
    trustScore: lost > 100 ? null : 100 - lost,
  }
}

/** Returns what a host adds to totals and indexes at a time. */
export function indexHost(summary: HostSummary, now: Time): HostIndex {
  const { host, endpoints } = summary
  const counts = new Map<string, number>()
  const entries: { index: RankedIndex; key: string }[] = []
  const add = (...parts: readonly string[]) => {
    const name = countName(...parts)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const { verdict, trustScore } = judgeHost(endpoints, now)
  const rank = `${rankPrefix(verdict)}${worstOf(trustScore)}`
  const live = endpoints.filter((endpoint) => countEndpoint(add, endpoint, now))
  add('hosts', 'all')
  add('hosts', 'verdict', verdict)
  entries.push({ index: 'services', key: `${rank}\t${host}` }, { index: 'names', key: host })
  const firstSeen = Math.min(...endpoints.map((endpoint) => endpoint.firstSeen))
  entries.push({ index: 'age', key: `${pad(firstSeen, AGE_DIGITS)}\t${host}` })
  if (isWorking(summary, now)) {
    add('hosts', 'working')
    entries.push({ index: 'working', key: `${rank}\t${host}` })
  }
  if (verdict === 'safe') {
    entries.push({
      index: 'providers',
      key: `${pad(MOST_LIVE - live.length, 5)}${worstOf(trustScore)}\t${host}`,
    })
    for (const { endpoint, score } of endpoints.filter((row) => currentVerdict(row, now).verdict === 'safe'))
      entries.push({ index: 'healthy', key: `${worstOf(score)}\t${endpoint}` })
  }
  for (const receiver of receiversOf(endpoints)) add('payee', receiver)
  const ends = endpoints.flatMap(({ expiresAt }) =>
    expiresAt !== null && expiresAt > now ? [expiresAt] : [],
  )
  return { counts, entries, validUntil: Math.min(...ends) }
}

/** Counts an endpoint. Returns whether it is live. */
function countEndpoint(add: (...parts: readonly string[]) => void, row: EndpointRow, now: Time): boolean {
  const { status, verdict, riskLevel } = currentVerdict(row, now)
  add('status', status)
  add('level', riskLevel)
  add('verdict', verdict)
  for (const flag of row.flags) add('flag', flag)
  for (const directory of row.listedBy) {
    add('directory', directory, 'listed')
    // Without a stated health, a listing is a claim to be healthy.
    if (!row.unhealthyIn.includes(directory)) add('directory', directory, 'claimedHealthy')
    if (status !== 'unmeasured') add('directory', directory, 'measured')
    if (status === 'live') add('directory', directory, 'working')
  }
  const category = isCategory(row.category) ? row.category : null
  if (category !== null) add('category', category, 'endpoints')
  if (status !== 'live') return false
  add('stability', row.receiverStability ?? 'blank')
  add('receiver', row.receiverProfile ?? 'blank')
  if (row.priceUsd !== null) {
    add('price', `${row.priceUsd}`)
    if (category !== null) add('category', category, 'price', `${row.priceUsd}`)
  }
  return true
}

/** Returns the receivers that any endpoint of a host names. */
function receiversOf(endpoints: readonly EndpointRow[]): ReadonlySet<string> {
  return new Set(
    endpoints.flatMap(({ network, payTo }) =>
      network === null || payTo === null ? [] : [networkAddressKey(network, payTo)],
    ),
  )
}

/** Sorts the best score first, and none last. */
const worstOf = (score: number | null) => pad(score === null ? 101 : 100 - score, 3)

const pad = (number: number, digits: number) => `${Math.max(0, number)}`.padStart(digits, '0')
