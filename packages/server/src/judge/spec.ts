import type { IncidentKind, ScoreSpec } from '@touchstone402/shared'
import { DAY, HOUR, MINUTE, PROBES_KEPT_MS } from '../facts/times.ts'

/** Version of the specification. Changing any number in this file is a new version with a changelog entry. */
export const SCORE_VERSION = '1.3.0'

/** Points of each factor. */
export const POINTS = {
  live: 75,
  stability: { stable: 15, new: 0, changed: -35 },
  receiver: { established: 5, dormant: -4, blank: 0 },
  uptimeMax: -30,
  uptimePerPoint: 3,
  conformance: { foreignResource: -3, undeclaredInput: -1, misplacedChallenge: -2 },
  conformanceMax: -5,
  proof: { delivered: 3, signed: 2 },
  priceJump: -2,
  priceJumpsMax: -10,
} as const

/** The factors of a score, with the range of their points. */
export const FACTORS = [
  { id: 'live', name: 'Live and valid', min: 0, max: POINTS.live },
  {
    id: 'stability',
    name: 'Receiver stability',
    min: POINTS.stability.changed,
    max: POINTS.stability.stable,
  },
  {
    id: 'receiver',
    name: 'Receiver on chain',
    min: POINTS.receiver.dormant,
    max: POINTS.receiver.established,
  },
  { id: 'uptime', name: 'Uptime', min: POINTS.uptimeMax, max: 0 },
  { id: 'conformance', name: 'Conformance', min: POINTS.conformanceMax, max: 0 },
  { id: 'proof', name: 'Proof', min: 0, max: POINTS.proof.delivered + POINTS.proof.signed },
  { id: 'priceStability', name: 'Price stability', min: POINTS.priceJumpsMax, max: 0 },
] as const

/** Thresholds. Times in milliseconds, money in dollars. */
export const LIMITS = {
  /** Age of the oldest probe that a judgement reads, and number of the newest ones without and of live checks. */
  keptProbesMs: PROBES_KEPT_MS,
  keptProbes: 2000,
  keptLiveProbes: 200,
  /** Number of clients that close an open question. */
  askedClients: 3,
  stableProbes: 3,
  stableSpanMs: DAY,
  changedMs: 30 * DAY,
  /** Time for which an added receiver stands beside the old one: until it is one of them, and until dropping the old is less serious. */
  togetherMs: 30 * DAY,
  handedOverMs: 7 * DAY,
  confirmedByHostMs: 7 * DAY,
  flickerMs: 7 * DAY,
  flickerApartMs: HOUR,
  flickerMemoryMs: 30 * DAY,
  /** Probes before two receivers within a minute by which they are a rotation, or none. */
  rotationProbes: 20,
  mostlyStablePct: 80,
  uptimeMinProbes: 3,
  uptimeHalfLifeMs: 7 * DAY,
  uptimeTargetPct: 99,
  uptimeWindowMs: 30 * DAY,
  /** Time that counts as much as one probe: the usual interval. */
  uptimeTimeUnitMs: 3 * HOUR,
  uptimeProbeMaxMs: DAY,
  flakyBelowPct: 90,
  flakyMemoryMs: DAY,
  darkAfterDowns: 3,
  darkAfterMs: 30 * MINUTE,
  recoveredAfterUps: 2,
  refusedProbes: 3,
  inputSettledMs: 12 * HOUR,
  swapProbes: 12,
  rotationWithinMs: MINUTE,
  rotationMemoryMs: 30 * DAY,
  inputMemoryMs: 30 * DAY,
  inputWithinMs: MINUTE,
  cloakMemoryMs: 7 * DAY,
  cloakWithinMs: HOUR,
  cacheLagMs: 6 * HOUR,
  cacheTerms: 14,
  priceJumpPct: 20,
  priceJumpUsd: 0.01,
  priceJumpWindow: 5,
  priceJumpMemoryMs: 30 * DAY,
  priceDiffersPct: 20,
  priceBaitTimes: 3,
  priceBaitSpanMs: DAY,
  priceBaitWindowMs: 2 * DAY,
  priceBaitDynamicProbes: 12,
  priceDriftPct: 1,
  priceHighUsd: 0.1,
  priceHighTimesMedian: 10,
  priceHighComparable: 5,
  /** Time for which a domain is known before its price counts. */
  comparableAfterMs: 30 * DAY,
  priceHighAloneUsd: 1,
  categoryMaxSharePct: 20,
  priceVariesTimes: 3,
  priceVariesProbes: 20,
  priceVariesChanges: 3,
  priceMovedProbes: 5,
  priceMovedMs: 3 * HOUR,
  offerConfirmedMs: DAY,
  /** The same for an offer to another receiver: whoever took over a host could wait for a day. */
  otherReceiverMs: 7 * DAY,
  slowMs: 10_000,
  slowProbes: 5,
  neverPaidCalls: 10,
  neverPaidListingAgeMs: 7 * DAY,
  littleHistoryReceipts: 10,
  receiverRecordMs: 7 * DAY,
  undeliveredPurchases: 2,
  purchaseMemoryMs: 30 * DAY,
  deliveryMemoryMs: 180 * DAY,
  chargedErrors: 2,
  chargedErrorMs: 60 * DAY,
  unprovenAboveUsd: 1,
  receiverProofMs: 366 * DAY,
  verdictLifetimeMs: 48 * HOUR,
  termsProbes: 5,
  avoidBelow: 50,
  cautionBelow: 70,
} as const

/** Score bands, best first. */
export const BAND_RANGES: ScoreSpec['bands'] = [
  { id: 'excellent', min: 90, max: 100 },
  { id: 'good', min: 75, max: 89 },
  { id: 'fair', min: 50, max: 74 },
  { id: 'poor', min: 25, max: 49 },
  { id: 'bad', min: 0, max: 24 },
]

/** Maximum score while an incident of the kind is open. */
export const INCIDENT_CAPS: Partial<Record<IncidentKind, number>> = {
  honeypot: 10,
  receiver_hijack: 20,
  bait_and_switch: 40,
}

/** Formats milliseconds as days. */
export const days = (ms: number) => (ms === DAY ? 'a day' : `${ms / DAY} days`)
/** Formats milliseconds as hours. */
export const hours = (ms: number) => `${ms / HOUR} h`

/** How a seller can clear each reason that is no flag, and the rule that ends it. */
export const STATUS_SPECS = {
  dark: {
    fix: 'Bring the endpoint back, or remove it from the directories that list it.',
    clears: `Clears after ${LIMITS.recoveredAfterUps} valid challenges in a row.`,
  },
  invalid: {
    fix: 'Answer unpaid calls with status 402 and a well-formed challenge in the header or body.',
    clears: `Clears after ${LIMITS.recoveredAfterUps} valid challenges in a row.`,
  },
  degraded: {
    fix: 'Nothing yet: the next probe, from another client, decides.',
    clears: `Clears at the next valid challenge; ${LIMITS.darkAfterDowns} failures over ${LIMITS.darkAfterMs / MINUTE} minutes make it dark.`,
  },
  receiver_unconfirmed: {
    fix: 'If the receiver is yours, announce it with a signature by the old one.',
    clears: `Clears when a probe names the former receiver; ${LIMITS.swapProbes} probes in a row by two clients make it a changed one.`,
  },
  refused: {
    fix: 'Let unpaid calls of the prober through, whichever address they come from.',
    clears: 'Clears at the next valid challenge.',
  },
  score_recovering: {
    fix: 'Find out why requests fail; the daily record shows when.',
    clears: `Clears ${hours(LIMITS.flakyMemoryMs)} after the last failed probe that brings the score below ${LIMITS.cautionBelow}.`,
  },
} as const
