import { readHistory } from '../../audit/readHistory.ts'
import type { Time } from '../../domain/facts/facts.ts'
import type { HostDocument } from '../../domain/facts/hostDocument.ts'
import { findShownRecord } from '../../domain/judge/receivers.ts'
import { foldSettled } from '../../domain/judge/refusals.ts'
import { describeProfile, WORST_FIRST } from '../../domain/publish/profile.ts'
import { currentVerdict } from '../../domain/publish/verdict.ts'
import type { PageDeps } from '../pageDeps.ts'

/** Everything that a profile page shows. */
export type ProfileView = NonNullable<Awaited<ReturnType<typeof loadProfile>>>

/** An endpoint with its current verdict. */
export type EndpointView = ReturnType<typeof rankEndpoints>[number]

/** Loads the profile of an indexed host, focused on the wanted endpoint if the host has it. */
export async function loadProfile(
  { store, readModel, clock }: Pick<PageDeps, 'store' | 'readModel' | 'clock'>,
  document: HostDocument,
  wanted: string | undefined,
) {
  const now = clock.now()
  const endpoints = rankEndpoints(document, now)
  const focus = endpoints.find(({ state }) => state.endpoint === wanted) ?? endpoints[0]
  if (focus === undefined) return undefined
  const facts = await store.hostFacts(document.host)
  const { network, payTo } = focus.state
  const { history, recordsOf } = await readHistory(store, facts, focus.state, now)
  return {
    host: document.host,
    profile: describeProfile(document, now),
    now,
    endpoints,
    /** Endpoint whose track record is shown. */
    focus,
    history,
    /** Latest on-chain record of the receiver in focus. */
    receiver:
      network === null || payTo === null ? undefined : findShownRecord(recordsOf(network, payTo), now),
    /** Number of hosts that name this receiver now; null if unknown. */
    sharedByHosts: network === null || payTo === null ? null : readModel.sharedBy(network, payTo),
    /** Days of all endpoints of the host, oldest first. */
    days: [...facts.daily, ...foldSettled(facts.observations)],
    observations: new Map(facts.observations.map((observation) => [observation.id, observation])),
    facts,
  }
}

/** Ranks the endpoints of a host; those that decide its verdict come first. */
export function rankEndpoints(document: HostDocument, now: Time) {
  return document.endpoints
    .map((state) => ({ state, ...currentVerdict(state, now) }))
    .sort(
      (a, b) =>
        Number(b.status === 'live') - Number(a.status === 'live') ||
        WORST_FIRST.indexOf(a.verdict) - WORST_FIRST.indexOf(b.verdict) ||
        (a.score ?? 0) - (b.score ?? 0) ||
        a.state.endpoint.localeCompare(b.state.endpoint),
    )
}

/** Returns the earliest expiry among a host's verdicts, in ms, for caches; undefined if none expires. */
export function firstExpiry(document: HostDocument, now: Time): Time | undefined {
  const ahead = document.endpoints.flatMap(({ expiresAt }) =>
    expiresAt !== null && expiresAt > now ? [expiresAt] : [],
  )
  return ahead.length === 0 ? undefined : Math.min(...ahead)
}
