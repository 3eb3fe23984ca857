import type { Change, ReceiverStability } from '@touchstone402/shared'
import { isDeclaredByHost, type Observation, type RecordsOf } from '../facts/facts.ts'
import type { Accusation, EndpointState } from '../facts/hostDocument.ts'
import { isOpenTheft } from './accusations.ts'
import { findChanges } from './changes.ts'
import { findDepartures, findProof, resourceHostsOf } from './conformance.ts'
import { findDelivery } from './delivery.ts'
import { addRecords, type Evidence, findAll, type JudgeInput } from './evidence.ts'
import { raiseFlags } from './flags.ts'
import { type StoredPast, toHistory } from './history.ts'
import { updateIncidents } from './incidents.ts'
import { isElsewhere, mainOffer } from './offers.ts'
import { pricesOf, receiversOf } from './periods.ts'
import { askedUsd } from './prices.ts'
import { explain } from './reasons.ts'
import { nextProbeAt } from './schedule.ts'
import { bandOf, decideVerdict, riskOf, scoreEndpoint } from './score.ts'
import { LIMITS, SCORE_VERSION } from './spec.ts'

/** Maximum number of receiver and price periods in the derived state. */
const PERIODS = 50

/** The derived state of an endpoint, with its changes and incidents. */
export type Judgement = ReturnType<typeof judgeEvidence>

/** Judges one endpoint: a pure function of recorded facts and the score spec. */
export function judgeEndpoint(
  input: StoredPast &
    Omit<JudgeInput, 'history'> & {
      readonly recordsOf: RecordsOf
      readonly accusations?: readonly Accusation[]
    },
): Judgement {
  const findings = findAll({ ...input, history: toHistory(input, input.now) })
  return judgeEvidence(addRecords(findings, input.recordsOf, input.accusations))
}

/** Judges one endpoint by its evidence. */
export function judgeEvidence(evidence: Evidence) {
  const { endpoint, host, observations, past, before, now, track, current, shown } = evidence
  const { receiver, uptime, latest, latestListings: listings } = evidence
  const raised = raiseFlags(evidence)
  const flags = [...new Set(raised.map(({ flag }) => flag))].sort()
  const isCloaked = flags.includes('cloaked')
  const pending = evidence.pending.map(({ id }) => id)
  const receiverUnconfirmed = pending.length > 0 && evidence.rotation === null && !isCloaked
  const changes = findChanges(evidence)
  const incidents = updateIncidents(evidence, raised)

  const stability = stabilityOf(evidence)
  const receiverProfile = receiver === undefined || receiver.category === 'blank' ? null : receiver.category
  const isRecent = ({ at }: Change) => now - Date.parse(at) < LIMITS.priceJumpMemoryMs
  const scored = {
    conformance: findDepartures(evidence),
    proof: findProof(evidence),
    priceJumps: changes.filter((change) => change.kind === 'price_jump' && isRecent(change)).length,
    openIncidents: incidents.filter((incident) => incident.status === 'open').map(({ kind }) => kind),
  }
  const { status, confirmedAt } = track
  const isUnknown = status === 'live' && latest.length > 0 && latest.every(isElsewhere)
  const measured = { ...scored, status, stability, receiver: receiverProfile, uptime }
  const riskLevel = riskOf(flags)
  // An unknown network does not clear what was proven before.
  const score = isUnknown && riskLevel !== 'high' ? null : scoreEndpoint(measured)
  const lowestScore = scoreEndpoint({ ...measured, uptime: evidence.lowestUptime })
  // Otherwise the verdict would flap while the score does.
  const wasPoor = (score ?? 0) >= LIMITS.cautionBelow && (lowestScore ?? 0) < LIMITS.cautionBelow
  const doubtful = evidence.refusals.length > 0 || wasPoor
  const verdict = decideVerdict({ status, score, riskLevel, confirmedAt, receiverUnconfirmed, doubtful }, now)

  const addedReceivers = evidence.epochs.at(-1)?.added.slice(0, PERIODS) ?? []
  const resourceHosts = resourceHostsOf(current, endpoint)
  // Without terms lately, the state before is shown again.
  const shownTerms = shown === undefined ? past.state : termsOf(shown, evidence)
  const knownAt = [...evidence.listings, ...observations.slice(0, 1)].map(({ at }) => at)
  const firstSeen = Math.min(now, before?.firstSeen ?? now, ...knownAt)
  const state: EndpointState = {
    endpoint,
    host,
    method:
      shownTerms?.method ?? listings.find((one) => isDeclaredByHost(one) && one.method)?.method ?? 'GET',
    listedBy: [...new Set(listings.map(({ directory }) => directory))].sort(),
    listings,
    category: evidence.category,
    categoryPrice: evidence.comparable ?? null,
    ...(evidence.lookalike !== undefined && { lookalike: evidence.lookalike }),
    firstSeen,
    lastChecked: observations.at(-1)?.at ?? before?.lastChecked ?? null,
    confirmedAt,
    nextProbeAt: nextProbeAt({
      ...evidence,
      firstSeen,
      lastChangeAt: lastOf([
        ...changes.map(({ at }) => Date.parse(at)),
        ...evidence.flickers.map(({ lastAt }) => lastAt),
      ]),
      isDifferent: receiverUnconfirmed || (evidence.isDifferenceOpen && !isCloaked),
      isFlaky: flags.includes('flaky'),
    }),
    status,
    darkSince: track.darkSince,
    degraded: track.degraded || receiverUnconfirmed,
    receiverUnconfirmed,
    doubtful,
    verdict,
    score: verdict === 'unknown' ? null : score,
    band: verdict === 'unknown' || score === null ? null : bandOf(score),
    scored,
    riskLevel,
    flags,
    reasons: explain(raised, evidence, {
      pending: receiverUnconfirmed ? shorten(pending) : [],
      elsewhere: isUnknown ? latest.map(({ id }) => id) : [],
      wasPoor,
      isHoneypot: scored.openIncidents.includes('honeypot'),
    }),
    receiverProfile,
    receiverStability: stability,
    payTo: shownTerms?.payTo ?? null,
    network: shownTerms?.network ?? null,
    amountAtomic: shownTerms?.amountAtomic ?? null,
    priceUsd: shownTerms?.priceUsd ?? null,
    delivery: findDelivery(evidence, { flags, status, terms: shownTerms?.terms ?? [] }),
    shopping: evidence.shopping ?? null,
    uptime,
    payToHistory: receiversOf(evidence.epochs, past, evidence.recordsOf).slice(-PERIODS),
    priceHistory: pricesOf(evidence.probes, past).slice(-PERIODS),
    ...(addedReceivers.length > 0 && { addedReceivers }),
    terms: shownTerms?.terms ?? [],
    ...(incidents.some(isOpenTheft) && { underIncident: true as const }),
    ...(evidence.accused.length > 0 && {
      accusations: [...new Set(evidence.accused.map((one) => one.accusation))],
    }),
    ...(resourceHosts.length > 0 && { resourceHosts }),
    derivedAt: now,
    expiresAt: confirmedAt === null ? null : confirmedAt + LIMITS.verdictLifetimeMs,
    scoreVersion: SCORE_VERSION,
  }
  return { state, changes, incidents }
}

function stabilityOf({ rotation, swap, excuse, epochs }: Evidence): ReceiverStability {
  const epoch = epochs.at(-1)
  if (rotation !== null || epoch === undefined) return null
  if (swap !== null && excuse === null) return 'changed'
  const { from, earlier, probes } = epoch
  const spanMs = (probes.at(-1)?.at ?? from) - from
  const isLong = earlier + probes.length >= LIMITS.stableProbes && spanMs >= LIMITS.stableSpanMs
  return isLong ? 'stable' : 'new'
}

const lastOf = (times: readonly number[]) => (times.length === 0 ? null : Math.max(...times))

/** Selects what a state shows of the last probe at the current receiver, and the price of the last one of all. */
function termsOf(shown: Observation, evidence: Evidence) {
  const { latest } = evidence
  const offer = mainOffer(shown)
  const last = latest.at(-1) ?? shown
  return {
    method: shown.method,
    payTo: offer?.payTo,
    network: offer?.network,
    amountAtomic: mainOffer(last)?.amountAtomic,
    priceUsd: askedUsd(last),
    terms: evidence.terms,
  }
}

/** Names the first and the last twelve of very many probes. */
const shorten = (ids: readonly string[]) => (ids.length > 24 ? [...ids.slice(0, 12), ...ids.slice(-12)] : ids)
