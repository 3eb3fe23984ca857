import type { Reason } from '@touchstone402/shared'
import { readHistory } from '../../audit/readHistory.ts'
import type { Observation, Time } from '../../domain/facts/facts.ts'
import { groupBy } from '../../domain/facts/groupBy.ts'
import type { EndpointBrief, EndpointState, HostSummary } from '../../domain/facts/hostDocument.ts'
import { findShownRecord } from '../../domain/judge/receivers.ts'
import { describeProfile, listShown, WORST_FIRST } from '../../domain/publish/profile.ts'
import { type CurrentVerdict, currentVerdict } from '../../domain/publish/verdict.ts'
import { readSharedBy } from '../../readModel/readRecord.ts'
import type { PageDeps } from '../pageDeps.ts'

/** Number of endpoints that a page shows; a host may have thousands. */
const SHOWN_ENDPOINTS = 40
/** Number of incidents and of changes that a page shows. */
const SHOWN_EVENTS = 12
/** Number of records that a page shows as the evidence of a finding. */
export const SHOWN_EVIDENCE = 4

/** Everything that a profile page shows. */
export type ProfileView = NonNullable<Awaited<ReturnType<typeof loadProfile>>>

/** An endpoint with its current verdict. */
export type EndpointView<T extends EndpointBrief = EndpointState> = CurrentVerdict & {
  readonly state: T
  /** Entry of the log that covers the decision. @default not logged yet */
  readonly logIndex?: number
}

/** A reason with everything that supports it, at any endpoint. */
export type Finding = Omit<Reason, 'evidence'> & {
  readonly evidence: readonly { readonly id: string; readonly endpoint: string }[]
  readonly states: readonly EndpointState[]
}

/** Whether every request to an endpoint may name another receiver, so that none has a record. */
export const isRotating = ({ flags }: Pick<EndpointState, 'flags'>) => flags.includes('payto_rotates')

/** Loads the profile of an indexed host, focused on the wanted endpoint if the host has it. */
export async function loadProfile(
  { store, clock }: Pick<PageDeps, 'store' | 'clock'>,
  summary: HostSummary,
  wanted: string | undefined,
) {
  const now = clock.now()
  const { host } = summary
  const endpoints = rankEndpoints(listShown(summary.endpoints), now)
  const shown = await readShown(store, endpoints.slice(0, SHOWN_ENDPOINTS), now)
  const asked = summary.endpoints.filter(({ endpoint }) => endpoint === wanted)
  const known = rankEndpoints(asked, now)[0] ?? endpoints[0]
  const focus =
    shown.find(({ state }) => state.endpoint === known?.state.endpoint) ??
    (known && (await readShown(store, [known], now))[0])
  if (focus === undefined) return undefined
  const findings = groupFindings(shown)
  const { network, payTo } = focus.state
  const isNamed = network !== null && payTo !== null
  const [{ history, recordsOf, days }, observations, incidents, changes, { announcements }, purchases] =
    await Promise.all([
      readHistory(store, focus.state, now),
      readEvidence(store, findings),
      store.incidents({ since: 0, host, limit: SHOWN_EVENTS }),
      store.changes({ since: 0, host, limit: SHOWN_EVENTS }),
      store.hostFacts(host),
      store.purchases(host),
    ])
  return {
    host,
    profile: describeProfile(summary, now),
    now,
    /** Endpoints that are listed, or all if none is; those that decide the verdict first. */
    endpoints,
    /** The first of them, with everything that is known. */
    shown,
    /** Reasons at the endpoints that are shown, worst first. */
    findings,
    /** Endpoint whose terms and track record are shown. */
    focus,
    history,
    /** Latest on-chain record of the receiver in focus. */
    receiver: isNamed ? findShownRecord(recordsOf(network, payTo), now) : undefined,
    /** Number of hosts that name this receiver now; null if none does. */
    sharedByHosts: isNamed ? await readSharedBy(store, network, payTo) : null,
    /** Days of the endpoint in focus, oldest first. */
    days,
    /** Probes that findings cite, by id. */
    observations,
    /** Newest first. */
    incidents: incidents.records,
    /** Newest first. */
    changes: changes.records,
    /** Newest first. */
    announcements: announcements.toReversed().slice(0, SHOWN_EVENTS),
    /** Test purchases, oldest first. */
    purchases,
  }
}

/** Ranks the endpoints of a host; those that decide its verdict come first. */
function rankEndpoints<T extends EndpointBrief>(states: readonly T[], now: Time): EndpointView<T>[] {
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

async function readShown(
  store: PageDeps['store'],
  rows: readonly EndpointView<EndpointBrief>[],
  now: Time,
): Promise<EndpointView[]> {
  const known = await Promise.all(rows.map(({ state }) => store.endpoint(state.endpoint)))
  return known.flatMap((one) => {
    if (one === undefined) return []
    const { state, logIndex } = one
    return { state, ...currentVerdict(state, now), ...(typeof logIndex === 'number' && { logIndex }) }
  })
}

const SEVERITIES: readonly Reason['severity'][] = ['critical', 'warn', 'info']

/** Groups the reasons of endpoints by their code, worst first. */
function groupFindings(shown: readonly EndpointView[]): Finding[] {
  const reasons = shown.flatMap(({ state }) => state.reasons.map((reason) => ({ ...reason, state })))
  return [...groupBy(reasons, ({ code }) => code)]
    .flatMap(([code, group]): Finding[] => {
      const evidence = group.flatMap((one) =>
        one.evidence.map((id) => ({ id, endpoint: one.state.endpoint })),
      )
      const states = group.map(({ state }) => state)
      return group.slice(0, 1).map(({ message, severity }) => ({
        code,
        message,
        // A finding without public evidence is not critical.
        severity: severity === 'critical' && evidence.length === 0 ? 'warn' : severity,
        evidence,
        states,
      }))
    })
    .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
}

/** Reads the observations that are shown as evidence, by id. */
async function readEvidence(
  store: PageDeps['store'],
  findings: readonly Finding[],
): Promise<ReadonlyMap<string, Observation>> {
  const evidence = findings.flatMap((finding) => finding.evidence.slice(0, SHOWN_EVIDENCE))
  const ids = [...groupBy(evidence, ({ endpoint }) => endpoint)].map(
    ([endpoint, list]) => [endpoint, list.map(({ id }) => id)] as const,
  )
  const cited = await Promise.all(ids.map(([endpoint, list]) => store.cited(endpoint, list)))
  return new Map(cited.flat().map((observation) => [observation.id, observation]))
}

/** Returns the earliest expiry among a host's verdicts, in ms, for caches; undefined if none expires. */
export function firstExpiry({ endpoints }: HostSummary, now: Time): Time | undefined {
  const ahead = endpoints.flatMap(({ expiresAt }) =>
    expiresAt !== null && expiresAt > now ? [expiresAt] : [],
  )
  return ahead.length === 0 ? undefined : Math.min(...ahead)
}
