import type { Change, Incident, ReceiverStability } from '@touchstone402/shared'
import type { Announcement, Listing, Observation, Purchase, ReceiverRecord, Time } from '../facts/facts.ts'
import type { CategoryPrice, EndpointState } from '../facts/hostDocument.ts'
import { findChanges } from './changes.ts'
import { findRotation } from './clients.ts'
import { type Epoch, splitEpochs } from './epochs.ts'
import { findSwap, raiseFlags } from './flags.ts'
import { updateIncidents } from './incidents.ts'
import { collectTerms, mainOffer } from './offers.ts'
import { listPrices, listReceivers } from './periods.ts'
import { splitPrices } from './prices.ts'
import { explain } from './reasons.ts'
import { nextProbeAt } from './schedule.ts'
import { bandOf, decideVerdict, riskOf, scoreEndpoint } from './score.ts'
import { LIMITS, SCORE_VERSION } from './spec.ts'
import { trackStatus } from './status.ts'
import { measureUptime } from './uptime.ts'

/** All that is known of one endpoint and its surroundings. Lists are oldest first. */
export type JudgeInput = {
  readonly endpoint: string
  readonly host: string
  readonly listings: readonly Listing[]
  /** Looks at the endpoint; control looks are apart. */
  readonly observations: readonly Observation[]
  readonly control: Observation | undefined
  readonly announcements: readonly Announcement[]
  readonly purchases: readonly Purchase[]
  readonly recordsOf: (network: string, address: string) => readonly ReceiverRecord[]
  readonly categoryPrice: (category: string) => CategoryPrice | undefined
  /** Incidents of this endpoint as last published. */
  readonly incidents: readonly Incident[]
  /** When it was first heard of, where that is known from before. */
  readonly firstSeen?: Time | undefined
  readonly now: Time
  /** 0 to 1, for the jitter of the next look. */
  readonly random: number
}

/** So many periods of receivers and of prices go into the derived state; the log has them all. */
const PERIODS = 50

/** What follows from it. */
export type Judgement = {
  readonly state: EndpointState
  readonly changes: readonly Change[]
  readonly incidents: readonly Incident[]
}

/** Judges one endpoint: a pure function of what was observed, listed and read from chain, and of the score's spec. */
export function judgeEndpoint(input: JudgeInput): Judgement {
  const { endpoint, host, observations, announcements, purchases, now } = input
  const looks = observations.filter(({ outcome, offers }) => outcome === 'up' && offers.length > 0)
  const listings = newestPerDirectory(input.listings)
  const track = trackStatus(observations)
  const rotates = findRotation(looks, now) !== null
  const { epochs, pending } = splitEpochs(looks)
  const epoch = epochs.at(-1)
  const prices = splitPrices(looks)
  const uptime = measureUptime(observations, now)
  const shown = epoch === undefined || rotates ? looks.at(-1) : epoch.looks.at(-1)
  const offer = shown === undefined ? undefined : mainOffer(shown)
  const records = offer === undefined || rotates ? [] : input.recordsOf(offer.network, offer.payTo)
  // An old record says nothing of today: where the chain cannot be read, the receiver is not known.
  const receiver = records.findLast(({ at }) => at > now - LIMITS.receiverRecordMs)
  const category = listings.find((listing) => listing.category !== null)?.category ?? null
  const categoryPrice = category === null ? undefined : input.categoryPrice(category)
  const raised = raiseFlags({
    observations,
    looks,
    listings,
    allListings: input.listings,
    epochs,
    prices,
    announcements,
    purchases,
    receiver,
    category: categoryPrice,
    control: input.control,
    now,
  })
  const flags = [...new Set(raised.map(({ flag }) => flag))].sort()
  const isSwapPending = pending.length > 0 && !rotates && !flags.includes('cloaked')
  const stability = rotates ? null : stabilityOf(epochs, announcements, now)
  const changes = findChanges({
    endpoint,
    host,
    looks,
    track,
    epochs,
    rotates,
    announcements,
  })
  const incidents = updateIncidents({
    ...input,
    raised,
    looks,
    listings,
    epochs,
    previous: input.incidents,
  })
  const receiverProfile = receiver === undefined || receiver.category === 'blank' ? null : receiver.category
  const scored = {
    conformance: conformanceOf(shown, endpoint),
    priceJumps: changes.filter(
      ({ kind, at }) => kind === 'price_jump' && now - Date.parse(at) < LIMITS.priceJumpMemoryMs,
    ).length,
    openIncidents: incidents.filter((incident) => incident.status === 'open').map(({ kind }) => kind),
  }
  const score = scoreEndpoint({
    ...scored,
    status: track.status,
    stability,
    receiver: receiverProfile,
    uptime,
  })
  const riskLevel = riskOf(flags)
  const { status, confirmedAt } = track
  const verdict = decideVerdict(
    { status, score, riskLevel, confirmedAt, receiverUnconfirmed: isSwapPending },
    now,
  )
  const price = prices.at(-1)
  const firstSeen = [...input.listings, ...observations].reduce(
    (least, { at }) => Math.min(least, at),
    Math.min(now, input.firstSeen ?? now),
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
      category,
      categoryPrice: categoryPrice ?? null,
      firstSeen,
      lastChecked: observations.at(-1)?.at ?? null,
      confirmedAt,
      nextProbeAt: nextProbeAt({
        observations,
        track,
        firstSeen,
        lastChangeAt: changes.length === 0 ? null : Math.max(...changes.map(({ at }) => Date.parse(at))),
        differenceExplained: flags.includes('cloaked'),
        isSwapPending,
        isFlaky: flags.includes('flaky'),
        now,
        random: input.random,
      }),
      status,
      degraded: track.degraded || isSwapPending,
      receiverUnconfirmed: isSwapPending,
      verdict,
      score: verdict === 'unknown' ? null : score,
      band: verdict === 'unknown' || score === null ? null : bandOf(score),
      scored,
      riskLevel,
      flags,
      reasons: explain(raised, track, observations, isSwapPending ? pending : []),
      receiverProfile: rotates ? null : receiverProfile,
      receiverStability: stability,
      payTo: offer?.payTo ?? null,
      network: offer?.network ?? null,
      amountAtomic: price?.amountAtomic ?? null,
      priceUsd: price?.priceUsd ?? null,
      uptime,
      payToHistory: listReceivers(epochs, input.recordsOf).slice(-PERIODS),
      priceHistory: listPrices(prices).slice(-PERIODS),
      terms: collectTerms((rotates || epoch === undefined ? looks : epoch.looks).slice(-LIMITS.termsProbes)),
      derivedAt: now,
      expiresAt: confirmedAt === null ? null : confirmedAt + LIMITS.verdictLifetimeMs,
      scoreVersion: SCORE_VERSION,
    },
  }
}

function newestPerDirectory(listings: readonly Listing[]): Listing[] {
  return [...new Map(listings.map((listing) => [listing.directory, listing])).values()]
}

function stabilityOf(
  epochs: readonly Epoch[],
  announcements: readonly Announcement[],
  now: Time,
): ReceiverStability {
  const epoch = epochs.at(-1)
  const last = epoch?.looks.at(-1)
  if (epoch === undefined || last === undefined) return null
  if (findSwap(epochs, announcements, now) !== null) return 'changed'
  const isLong = epoch.looks.length >= LIMITS.stableProbes && last.at - epoch.from >= LIMITS.stableSpanMs
  return isLong ? 'stable' : 'new'
}

function conformanceOf(look: Observation | undefined, endpoint: string) {
  return {
    versionsAgree: look !== undefined && look.disagreements.length === 0,
    resourceOrigin: look?.resourceOrigin != null && look.resourceOrigin === new URL(endpoint).origin,
    inputDeclared: look?.declaresInput === true,
  }
}
