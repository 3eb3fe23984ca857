import type { Change, Incident, ReceiverStability } from '@touchstone402/shared'
import type { EndpointState } from '../facts/hostDocument.ts'
import { findChanges } from './changes.ts'
import { findDepartures, findProof, resourceHostsOf } from './conformance.ts'
import { type Evidence, gatherEvidence, type JudgeInput } from './evidence.ts'
import { raiseFlags } from './flags.ts'
import { updateIncidents } from './incidents.ts'
import { collectTerms, isElsewhere, mainOffer } from './offers.ts'
import { listPrices, listReceivers } from './periods.ts'
import { explain } from './reasons.ts'
import { nextProbeAt } from './schedule.ts'
import { bandOf, decideVerdict, riskOf, scoreEndpoint } from './score.ts'
import { LIMITS, SCORE_VERSION } from './spec.ts'

/** Maximum number of receiver and price periods in the derived state. */
const PERIODS = 50

/** The derived state of an endpoint, with its changes and incidents. */
export type Judgement = {
  readonly state: EndpointState
  readonly changes: readonly Change[]
  readonly incidents: readonly Incident[]
}

/** Judges one endpoint: a pure function of recorded facts and the score spec. */
export function judgeEndpoint(input: JudgeInput): Judgement {
  return judgeEvidence(gatherEvidence(input))
}

/** Judges one endpoint by its evidence. */
export function judgeEvidence(evidence: Evidence): Judgement {
  const { endpoint, host, looks, now, track, epochs, pending, prices, current, receiver, uptime } = evidence
  const raised = raiseFlags(evidence)
  const flags = [...new Set(raised.map(({ flag }) => flag))].sort()
  const rotates = evidence.rotation !== null
  const receiverUnconfirmed = pending.length > 0 && !rotates && !flags.includes('cloaked')
  const changes = findChanges(evidence)
  const incidents = updateIncidents(evidence, raised)

  const shown = current.at(-1)
  const stability = stabilityOf(evidence)
  const receiverProfile = receiver === undefined || receiver.category === 'blank' ? null : receiver.category
  const scored = {
    conformance: findDepartures(evidence),
    proof: findProof(evidence),
    priceJumps: changes.filter(
      ({ kind, at }) => kind === 'price_jump' && now - Date.parse(at) < LIMITS.priceJumpMemoryMs,
    ).length,
    openIncidents: incidents.filter((incident) => incident.status === 'open').map(({ kind }) => kind),
  }
  const { status, confirmedAt } = track
  const { latest } = evidence
  const isUnknown = status === 'live' && latest.length > 0 && latest.every(isElsewhere)
  const measured = { ...scored, status, stability, receiver: receiverProfile, uptime }
  const riskLevel = riskOf(flags)
  // An unknown network does not clear what was proven before.
  const score = isUnknown && riskLevel !== 'high' ? null : scoreEndpoint(measured)
  const lowestScore = scoreEndpoint({ ...measured, uptime: evidence.lowestUptime })
  // Otherwise the verdict would flap while the score does.
  const wasPoor = (score ?? 0) >= LIMITS.cautionBelow && (lowestScore ?? 0) < LIMITS.cautionBelow
  const doubtful = evidence.refusals.count > 0 || wasPoor
  const verdict = decideVerdict({ status, score, riskLevel, confirmedAt, receiverUnconfirmed, doubtful }, now)

  const resourceHosts = resourceHostsOf(current.slice(-LIMITS.termsProbes), endpoint)
  const listings = evidence.latestListings
  const offer = shown === undefined ? undefined : mainOffer(shown)
  const price = prices.at(-1)
  const firstSeen = evidence.listings.reduce(
    (least, { at }) => Math.min(least, at),
    Math.min(now, evidence.firstSeen ?? now, looks.last === null ? now : looks.firstAt),
  )
  return {
    changes,
    incidents,
    state: {
      endpoint,
      host,
      method: shown?.method ?? listings.find((listing) => listing.method !== null)?.method ?? 'GET',
      listedBy: [...new Set(listings.map(({ directory }) => directory))].sort(),
      listings,
      category: evidence.category,
      categoryPrice: evidence.comparable ?? null,
      firstSeen,
      lastChecked: looks.last?.at ?? null,
      confirmedAt,
      nextProbeAt: nextProbeAt({
        looks,
        clients: evidence.clients,
        sample: evidence.sample,
        track,
        now,
        random: evidence.random,
        firstSeen,
        lastChangeAt: changes.length === 0 ? null : Math.max(...changes.map(({ at }) => Date.parse(at))),
        differenceExplained: flags.includes('cloaked'),
        isSwapPending: receiverUnconfirmed,
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
        pending: receiverUnconfirmed ? pending : [],
        elsewhere: isUnknown ? latest.map(({ id }) => id) : [],
        wasPoor,
      }),
      receiverProfile,
      receiverStability: stability,
      payTo: offer?.payTo ?? null,
      network: offer?.network ?? null,
      amountAtomic: price?.amountAtomic ?? null,
      priceUsd: price?.priceUsd ?? null,
      uptime,
      payToHistory: listReceivers(epochs, evidence.recordsOf).slice(-PERIODS),
      priceHistory: listPrices(prices).slice(-PERIODS),
      terms: collectTerms(current.slice(-LIMITS.termsProbes)),
      ...(resourceHosts.length > 0 && { resourceHosts }),
      derivedAt: now,
      expiresAt: confirmedAt === null ? null : confirmedAt + LIMITS.verdictLifetimeMs,
      scoreVersion: SCORE_VERSION,
    },
  }
}

function stabilityOf({ rotation, swap, epochs }: Evidence): ReceiverStability {
  const epoch = epochs.at(-1)
  if (rotation !== null || epoch === undefined) return null
  if (swap !== null) return 'changed'
  const isLong = epoch.count >= LIMITS.stableProbes && epoch.lastAt - epoch.from >= LIMITS.stableSpanMs
  return isLong ? 'stable' : 'new'
}
