import type { Reason } from '@touchstone402/shared'
import type { Time } from '../../facts/facts.ts'
import type { EndpointState, HostSummary } from '../../facts/hostDocument.ts'
import { findShownRecord } from '../../judge/receivers.ts'
import { ProblemError } from '../../lib/problemError.ts'
import { readDisputes } from '../../owners/disputes.ts'
import { readClaims } from '../../owners/hostClaims.ts'
import { readReplies } from '../../owners/replies.ts'
import { describeProfile, WORST_FIRST } from '../../publish/profile.ts'
import { publishedFrom } from '../../publish/publishedInputs.ts'
import { type CurrentVerdict, currentVerdict } from '../../publish/verdict.ts'
import { readSharedBy } from '../../readModel/readRecord.ts'
import type { StoredState } from '../../store/endpoints.ts'
import { readState } from '../../store/endpoints.ts'
import { readHostFacts, readPurchases, readReceiverRecords } from '../../store/facts.ts'
import { readChanges, readIncidents } from '../../store/feeds.ts'
import { readCited, readDays } from '../../store/observations.ts'
import type { PageDeps } from '../pageDeps.ts'
import { groupEvents } from './events.ts'
import type { Finding } from './finding.ts'

/** Number of endpoints whose findings a page shows; a host may have thousands. */
const READ_ENDPOINTS = 40
/** Number of incidents and of changes that a page shows. */
const SHOWN_EVENTS = 24
/** Number of probes that a page shows of a finding: more than any rule asks for. */
const SHOWN_EVIDENCE = 24

/** The verdict on a host, and its evidence. */
export type VerdictView = Awaited<ReturnType<typeof loadVerdict>>

/** Everything that a profile page shows. */
export type ProfileView = VerdictView & Awaited<ReturnType<typeof loadRecord>>

/** An endpoint with its current verdict. */
type EndpointView = CurrentVerdict & StoredState

/** Whether every request to an endpoint may name another receiver, so that none has a record. */
export const isRotating = ({ flags }: Pick<EndpointState, 'flags'>) => flags.includes('payto_rotates')

/** Loads the verdict on an indexed host, focused on the wanted endpoint if the host has it. */
export async function loadVerdict({ store, clock }: PageDeps, summary: HostSummary, wanted?: string) {
  const now = clock.now()
  const endpoints = rankEndpoints(summary.endpoints, now)
  const read = async (rows: typeof endpoints): Promise<EndpointView[]> => {
    const found = await Promise.all(rows.map(({ state }) => readState(store, state.endpoint)))
    return found
      .flatMap((known) => known ?? [])
      .map((known) => ({ ...known, ...currentVerdict(known.state, now) }))
  }
  const isWanted = (one: { readonly state: { readonly endpoint: string } }) => one.state.endpoint === wanted
  const shown = await read(endpoints.slice(0, READ_ENDPOINTS))
  const beyond = await read(endpoints.slice(READ_ENDPOINTS).filter(isWanted))
  const focus = [...shown, ...beyond].find(isWanted) ?? shown[0]
  if (focus === undefined) throw new ProblemError(404, 'never_seen', 'No endpoint of this host is known.')
  return {
    host: summary.host,
    profile: describeProfile(summary, now),
    now,
    /** Those that decide the verdict first. */
    endpoints,
    /** The first of them, with everything that is known. */
    shown,
    /** Reasons at the endpoints that are shown, worst first. */
    findings: await readFindings(store, shown),
    /** Endpoint whose terms and track record are shown. */
    focus,
  }
}

/** Loads the past of the endpoint in focus, and the incidents and announcements of its host. */
export async function loadPast({ store }: Pick<PageDeps, 'store'>, { host, now, focus }: VerdictView) {
  const { endpoint } = focus.state
  const [days, incidents, { announcements }, purchases] = await Promise.all([
    readDays(store, endpoint),
    readIncidents(store, { since: 0, host, limit: SHOWN_EVENTS }),
    readHostFacts(store, host),
    readPurchases(store, host),
  ])
  return {
    /** Days of the endpoint, oldest first. */
    days,
    /** Newest first. */
    incidents: incidents.records,
    /** Oldest first. */
    announcements,
    /** Test purchases at the endpoint that are published, oldest first. */
    purchases: purchases.filter((one) => one.endpoint === endpoint && publishedFrom(one) <= now),
  }
}

/** Loads the other data of a profile page. */
export async function loadRecord(deps: PageDeps, view: VerdictView) {
  const { store } = deps
  const { host, now, focus, findings } = view
  const { network, payTo } = focus.state
  const isNamed = network !== null && payTo !== null
  const newest = { since: 0, host, limit: SHOWN_EVENTS }
  const [past, records, sharedByHosts, open, changes, claims, disputes, replies] = await Promise.all([
    loadPast(deps, view),
    isNamed ? readReceiverRecords(store, network, payTo) : [],
    isNamed ? readSharedBy(store, network, payTo) : null,
    readIncidents(store, { ...newest, open: true }),
    readChanges(store, newest),
    readClaims(deps, host),
    readDisputes(deps, host),
    readReplies(deps, host),
  ])
  return {
    ...past,
    /** Latest on-chain record of the receiver in focus. */
    receiver: findShownRecord(records, now),
    /** Number of hosts that name this receiver now; null if none does. */
    sharedByHosts,
    /** Open incidents, newest first, and the number of all. */
    open,
    /** Findings by what they rest on, and the events that are over, newest first. */
    ...groupEvents(findings, [...past.incidents, ...changes.records]),
    claims,
    disputes,
    replies,
  }
}

/** Ranks the endpoints of a host; those that decide its verdict come first. */
function rankEndpoints(states: HostSummary['endpoints'], now: Time) {
  return states
    .map((state) => ({ state, ...currentVerdict(state, now) }))
    .sort(
      (a, b) =>
        Number(b.status === 'live') - Number(a.status === 'live') ||
        WORST_FIRST.indexOf(a.verdict) - WORST_FIRST.indexOf(b.verdict) ||
        (a.score ?? 0) - (b.score ?? 0) ||
        a.state.endpoint.localeCompare(b.state.endpoint),
    )
}

const SEVERITIES: readonly Reason['severity'][] = ['critical', 'warn', 'info']
/** Findings that rest on an incident elsewhere: what was measured here goes before them. */
const ELSEWHERE: readonly string[] = ['receiver_flagged', 'host_accused', 'receiver_accused_elsewhere']

/** Groups the reasons of endpoints by their code, worst first, and reads the probes that they cite. */
async function readFindings(store: PageDeps['store'], shown: readonly EndpointView[]): Promise<Finding[]> {
  const placeOf = ({ severity, code }: Reason) =>
    2 * SEVERITIES.indexOf(severity) + Number(ELSEWHERE.includes(code))
  const reasons = shown
    .flatMap(({ state, verdict }) => state.reasons.map((reason) => ({ ...reason, state, verdict })))
    .sort((a, b) => placeOf(a) - placeOf(b))
  const worst = reasons.filter(({ code }, index) => reasons.findIndex((one) => one.code === code) === index)
  return Promise.all(
    worst.map(async (one) => ({
      ...one,
      endpoints: reasons.filter(({ code }) => code === one.code).map(({ state }) => state.endpoint),
      observations: await readCited(store, one.state.endpoint, one.evidence.slice(0, SHOWN_EVIDENCE)),
    })),
  )
}

/** Returns the earliest expiry among a host's verdicts, in ms, for caches; undefined if none expires. */
export function firstExpiry({ endpoints }: HostSummary, now: Time): Time | undefined {
  const ahead = endpoints.map(({ expiresAt }) => expiresAt ?? 0).filter((expiresAt) => expiresAt > now)
  return ahead.length === 0 ? undefined : Math.min(...ahead)
}
