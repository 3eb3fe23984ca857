import { setImmediate as nextTurn } from 'node:timers/promises'
import { foldDays } from '../facts/dailyMeasurements.ts'
import {
  type Fact,
  hasTerms,
  isUnmeasured,
  type Listing,
  type Observation,
  type Time,
} from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import type { NewLeaf } from '../facts/leaves.ts'
import { toDate } from '../facts/times.ts'
import { categoryOf } from '../judge/evidence.ts'
import { addProbes } from '../judge/history.ts'
import { laxerPrice } from '../publish/categoryPrice.ts'
import { decisionLeaf, incidentLeaf, type NewSalt } from '../publish/leaves.ts'
import type { Lease } from '../store/leases.ts'
import type { AuditContext } from './auditContext.ts'
import { findNews, judgeFacts } from './judgeFacts.ts'
import { type Findings, probeLive, probeOnSchedule } from './probeEndpoint.ts'
import { readAccusations } from './readAccusations.ts'
import { type Known, readEndpoint, readRecords } from './readEndpoint.ts'

/** Probes of an endpoint and the state derived from them. */
export type Probed = { readonly state: EndpointState; readonly observations: readonly Observation[] }

/** Returns the listing that makes an endpoint part of the index, or null. */
export type ListingFinder = () => Promise<Listing | null>

/** Probes and judges endpoints. Work on one host is done by one process, in sequence. */
export type Auditor = {
  /**
   * Makes one scheduled probe as one client, repeated at once if the terms differ from before.
   * @throws the signal's reason if that fires; nothing is recorded then
   */
  probe(endpoint: string, signal?: AbortSignal): Promise<Probed>
  /**
   * Makes a live check: probes as three clients, makes a control probe, and reads the receiver from chain.
   * Records nothing about an unlisted endpoint that never asked for payment, or whose host asks for payment at any path:
   * otherwise a stranger could add paths to the record of a host.
   * @param findListing is asked once an unlisted endpoint returned payment terms. Its listing is recorded with the
   * probes; without one the probes are dropped, even if earlier ones were recorded. @default the probes are recorded, and
   * shown only to clients that ask for the endpoint
   * @throws NotPublicError if the host may not be dialled; nothing is recorded then
   */
  probeLive(endpoint: string, signal?: AbortSignal, findListing?: ListingFinder): Promise<Probed>
  /** Judges the recorded facts. */
  judge(endpoint: string): Promise<EndpointState>
}

/** The endpoint's host has a non-public address or a port that probes may not use. */
export class NotPublicError extends Error {
  override readonly name = 'NotPublicError'
}

const nothingFound = ({ history }: Known): Findings => ({ observations: [], announcements: [], history })

/** Creates the auditor. */
export function createAuditor(audit: AuditContext): Auditor {
  const { clock, hostLeases, store } = audit
  let lastTurn: Promise<void> = Promise.resolve()
  /** Yields one turn of the event loop per caller: many judgements may resume after one write and would block requests. */
  const takeTurn = () => {
    lastTurn = lastTurn.then(() => nextTurn())
    return lastTurn
  }
  return {
    probe: (endpoint, callers) =>
      hostLeases.alone(
        hostOf(endpoint),
        async ({ lease, signal }) => {
          await takeTurn()
          const known = await readEndpoint(store, endpoint, clock.now())
          const findings = await probeOnSchedule(audit, known, signal)
          await takeTurn()
          callers?.throwIfAborted()
          return conclude(audit, known, findings, lease)
        },
        callers,
      ),
    probeLive: (endpoint, signal, findListing) =>
      hostLeases.alone(
        hostOf(endpoint),
        async (held) => {
          const found = await readEndpoint(store, endpoint, clock.now())
          // Record nothing for refused addresses: anyone could fill the store with such names.
          const check = (probe: Observation) => {
            if (probe.cause === 'address_refused') throw new NotPublicError(hostOf(endpoint))
          }
          const findings = await probeLive(audit, found, { signal: held.signal, check })
          const { observations } = findings
          const mayList = found.facts.listings.length === 0 && observations.some(hasTerms)
          const listing = mayList ? ((await findListing?.()) ?? null) : null
          const known = listing === null ? found : withListing(found, listing)
          const isNothing = isUnmeasured(observations)
          const isSold = !isNothing && observations.some(asksForPayment) && !isCatchAll(observations)
          const isListed = known.facts.listings.length > 0
          if (isListed || (findListing === undefined && (isKnown(known) || isSold)))
            return conclude(audit, known, findings, held.lease, listing === null ? [] : [listing])
          const { state } = await judgeFound(audit, known, isNothing ? nothingFound(known) : findings)
          return { observations, state }
        },
        signal,
      ),
    judge: (endpoint) =>
      hostLeases.alone(hostOf(endpoint), async ({ lease }) => {
        const known = await readEndpoint(store, endpoint, clock.now())
        return (await conclude(audit, known, nothingFound(known), lease)).state
      }),
  }
}

const hostOf = (endpoint: string) => new URL(endpoint).host

/** Whether a probe of the endpoint itself asked for payment, in whatever form. */
const asksForPayment = (probe: Observation) =>
  hasTerms(probe) || (probe.purpose !== 'control' && probe.httpStatus === 402)

/** Whether the host asks for payment at a path that does not exist. */
const isCatchAll = (observations: readonly Observation[]) =>
  observations.some(
    ({ purpose, outcome, httpStatus }) => purpose === 'control' && (outcome === 'up' || httpStatus === 402),
  )

/** Whether an endpoint asked for payment before. */
const isKnown = ({ history: { stored } }: Known) =>
  !stored.isWhole || stored.observations.some(asksForPayment)

const withListing = (known: Known, listing: Listing): Known => ({
  ...known,
  facts: { ...known.facts, listings: [...known.facts.listings, listing] },
})

/** Reads the price to compare with. A category that directories chose is never stricter than everything listed. */
async function readComparable({ categoryPrice }: AuditContext['readModel'], listings: readonly Listing[]) {
  const { category, isOwn } = categoryOf(listings)
  const own = await categoryPrice(category)
  return category === null || isOwn ? own : laxerPrice(own, await categoryPrice(null))
}

/** Judges an endpoint with the new probes. */
async function judgeFound(
  audit: AuditContext,
  known: Known,
  { observations: found, announcements, history }: Findings,
) {
  const { clock, config, random, readModel, store } = audit
  const { endpoint, facts, host } = known
  const own = found.filter(({ purpose }) => purpose !== 'control')
  const now = Math.max(clock.now(), (own.at(-1) ?? known.history.stored.observations.at(-1))?.at ?? 0)
  const control = found.findLast(({ purpose }) => purpose === 'control') ?? host.control
  const judged = await judgeFacts({
    endpoint,
    // Announcements took time, and a judgement is of one moment.
    history: addProbes(history, [], now),
    facts,
    host: { control, announcements: [...host.announcements, ...announcements] },
    readRecords: (receivers) => readRecords(store, receivers),
    readAccusations: (receivers) => readAccusations(audit, new URL(endpoint).host, receivers),
    categoryPrice: await readComparable(readModel, facts.listings),
    lookalike: await readModel.lookalike(new URL(endpoint).host),
    shopping: config.shopper && { network: config.network, perCallUsd: Number(config.shopper.perCallUsd) },
    now,
    random: random(),
  })
  const dates = new Set(own.map(({ at }) => toDate(at)))
  const days = foldDays(judged.observations.filter(({ at }) => dates.has(toDate(at))))
  return { ...judged, found, days, now }
}

/** Judges an endpoint with the new probes, and writes everything in one transaction. */
async function conclude(
  audit: AuditContext,
  known: Known,
  findings: Findings,
  lease: Lease,
  listings: readonly Listing[] = [],
): Promise<Probed> {
  const judged = await judgeFound(audit, known, findings)
  const { days, found, now } = judged
  const state = keepOverdue(judged.state, known, found, now)
  // An endpoint known only from a paid check enters no feed until it is listed.
  const news = known.facts.listings.length === 0 ? [] : findNews(known.facts, judged, now)
  const facts: Fact[] = [...listings, ...found, ...findings.announcements, ...news]
  const leaves = listLeaves(known, state, news, audit.ids.newSalt)
  await audit.store.write('putEndpoint', state, { facts, days, leaves, lease })
  if (news.some(({ kind }) => kind === 'incident')) audit.accusations.known = null
  return { observations: found, state }
}

/**
 * Keeps a scheduled probe due if only live checks were made since: the time in which no probe was made is our own downtime,
 * not part of the next gap.
 */
function keepOverdue(
  state: EndpointState,
  { history }: Known,
  found: readonly Observation[],
  now: Time,
): EndpointState {
  const before = history.stored.before
  const isScheduled = found.some(({ purpose }) => purpose === 'scheduled' || purpose === 'confirm')
  if (isScheduled || before === undefined || before.nextProbeAt > now) return state
  return { ...state, nextProbeAt: before.nextProbeAt }
}

function listLeaves(known: Known, state: EndpointState, news: readonly Fact[], newSalt: NewSalt): NewLeaf[] {
  const decision = decisionLeaf(known.isLogged ? known.history.stored.before : undefined, state, newSalt)
  const incidents = news.filter((fact) => fact.kind === 'incident')
  return [
    ...(decision ? [decision] : []),
    ...incidents.map(({ incident, at }) => incidentLeaf(incident, at, newSalt)),
  ]
}
