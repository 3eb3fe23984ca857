import { readHistory } from '../../audit/readHistory.ts'
import type { Observation, Time } from '../../domain/facts/facts.ts'
import { groupBy } from '../../domain/facts/groupBy.ts'
import type { EndpointBrief, EndpointState, HostSummary } from '../../domain/facts/hostDocument.ts'
import { findShownRecord } from '../../domain/judge/receivers.ts'
import { describeProfile, listShown, WORST_FIRST } from '../../domain/publish/profile.ts'
import { type CurrentVerdict, currentVerdict } from '../../domain/publish/verdict.ts'
import { readSharedBy } from '../../readModel/readRecord.ts'
import { readSides, type Side } from '../evidence/sides.ts'
import type { PageDeps } from '../pageDeps.ts'
import { type Finding, groupFindings, SHOWN_EVIDENCE } from './groupFindings.ts'

/** Number of endpoints that a page shows; a host may have thousands. */
const SHOWN_ENDPOINTS = 40
/** Number of incidents and of changes that a page shows. */
const SHOWN_EVENTS = 12

/** Everything that a profile page shows. */
export type ProfileView = NonNullable<Awaited<ReturnType<typeof loadProfile>>>

/** An endpoint with its current verdict. */
export type EndpointView<T extends EndpointBrief = EndpointState> = CurrentVerdict & {
  readonly state: T
  /** Leaf of the log that covers the decision. @default not logged yet */
  readonly logIndex?: number
}

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
  const findings = groupFindings(shown.map(({ state }) => state))
  const { network, payTo } = focus.state
  const isNamed = network !== null && payTo !== null
  const [{ history, recordsOf, days }, observations, incidents, openIncidents, changes] = await Promise.all([
    readHistory(store, focus.state, now),
    readEvidence(store, findings),
    store.incidents({ since: 0, host, limit: SHOWN_EVENTS }),
    store.incidents({ since: 0, host, limit: 0, open: true }),
    store.changes({ since: 0, host, limit: SHOWN_EVENTS }),
  ])
  return {
    host,
    profile: describeProfile(summary, now),
    now,
    /** Endpoints that are listed, or all if none is; those that decide the verdict first. */
    endpoints,
    /** The first of them, with everything that is known. */
    shown,
    /** Reasons at the endpoints that are shown. */
    findings,
    /** Endpoint whose track record is shown. */
    focus,
    history,
    /** Latest on-chain record of the receiver in focus. */
    receiver: isNamed ? findShownRecord(recordsOf(network, payTo), now) : undefined,
    /** Number of hosts that name this receiver now; null if none does. */
    sharedByHosts: isNamed ? await readSharedBy(store, network, payTo) : null,
    /** Days of the endpoint in focus, oldest first. */
    days,
    observations,
    /** Terms next to each other, by the code of a finding about terms that differ. */
    sides: await readFindingSides(store, findings, observations, shown),
    /** Newest first. */
    incidents: incidents.records,
    openIncidents: openIncidents.total,
    /** Newest first. */
    changes: changes.records,
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
  return known.flatMap((one) =>
    one === undefined
      ? []
      : [
          {
            state: one.state,
            ...currentVerdict(one.state, now),
            ...(typeof one.logIndex === 'number' && { logIndex: one.logIndex }),
          },
        ],
  )
}

/** Reads the observations that are shown as evidence, by id. */
async function readEvidence(
  store: PageDeps['store'],
  findings: readonly Finding[],
): Promise<ReadonlyMap<string, Observation>> {
  const evidence = findings.flatMap((finding) => finding.evidence.slice(0, SHOWN_EVIDENCE))
  const byEndpoint = groupBy(evidence, ({ endpoint }) => endpoint)
  const cited = await Promise.all(
    [...byEndpoint].map(([endpoint, list]) =>
      store.cited(
        endpoint,
        list.map(({ id }) => id),
      ),
    ),
  )
  return new Map(cited.flat().map((observation) => [observation.id, observation]))
}

/** Findings about terms that differ: between clients, over time, or from the listing. */
const COMPARED: ReadonlySet<string> = new Set([
  'cloaked',
  'payto_rotates',
  'payto_changed',
  'price_bait',
  'price_high',
  'protocols_disagree',
  'receiver_unconfirmed',
  'terms_disagree',
])

async function readFindingSides(
  store: PageDeps['store'],
  findings: readonly Finding[],
  observations: ReadonlyMap<string, Observation>,
  shown: readonly EndpointView[],
): Promise<ReadonlyMap<string, readonly Side[]>> {
  const compared = findings.filter(({ code }) => COMPARED.has(code))
  const sides = compared.map(async ({ code, evidence }) => {
    // Of one endpoint: terms of others differ anyway.
    const endpoint = evidence[0]?.endpoint
    const ids = new Set(evidence.filter((one) => one.endpoint === endpoint).map(({ id }) => id))
    const looks = [...ids].flatMap((id) => observations.get(id) ?? [])
    const { listings = [] } = shown.find(({ state }) => state.endpoint === endpoint)?.state ?? {}
    const cited = listings.filter(({ id }) => ids.has(id))
    return [code, await readSides(store, looks, cited)] as const
  })
  return new Map(await Promise.all(sides))
}

/** Returns the earliest expiry among a host's verdicts, in ms, for caches; undefined if none expires. */
export function firstExpiry({ endpoints }: HostSummary, now: Time): Time | undefined {
  const ahead = endpoints.flatMap(({ expiresAt }) =>
    expiresAt !== null && expiresAt > now ? [expiresAt] : [],
  )
  return ahead.length === 0 ? undefined : Math.min(...ahead)
}
