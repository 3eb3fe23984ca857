import type { Band, Flag, IncidentKind, RiskLevel, ScoreSpec } from '@touchstone402/shared'
import { ESTABLISHED_PAYERS, ESTABLISHED_RECEIPTS } from '@touchstone402/shared'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'

/** Version of the specification below. Changing any number in this file is a new version with a changelog line. */
export const SCORE_VERSION = '1.0.0'

/** Points of the score's factors. */
export const POINTS = {
  live: 75,
  stability: { stable: 15, new: 0, changed: -35 },
  receiver: { established: 5, dormant: -4, blank: 0 },
  uptimeMax: -30,
  uptimePerPoint: 3,
  conformance: { versionsAgree: 2, resourceOrigin: 1, inputDeclared: 2 },
  priceJump: -2,
  priceJumpsMax: -10,
} as const

/** Measured quantities at which a judgement turns. Times in milliseconds, money in dollars. */
export const LIMITS = {
  stableProbes: 3,
  stableSpanMs: DAY,
  changedMs: 30 * DAY,
  uptimeMinProbes: 3,
  uptimeHalfLifeMs: 7 * DAY,
  uptimeTargetPct: 99,
  uptimeWindowMs: 30 * DAY,
  flakyBelowPct: 90,
  flakyMemoryMs: DAY,
  darkAfterDowns: 3,
  darkAfterMs: 30 * MINUTE,
  recoveredAfterUps: 2,
  swapLooks: 12,
  rotationWithinMs: MINUTE,
  rotationMemoryMs: 30 * DAY,
  cloakMemoryMs: 7 * DAY,
  cloakWithinMs: HOUR,
  priceJumpPct: 20,
  priceJumpUsd: 0.01,
  priceJumpWindow: 5,
  priceJumpMemoryMs: 30 * DAY,
  priceBaitPct: 20,
  priceBaitSpanMs: DAY,
  priceBaitDynamicLooks: 12,
  priceDriftPct: 1,
  priceHighUsd: 0.1,
  priceHighTimesMedian: 10,
  priceHighComparable: 5,
  priceHighAloneUsd: 1,
  neverPaidCalls: 10,
  neverPaidListingAgeMs: 7 * DAY,
  littleHistoryReceipts: 10,
  receiverRecordMs: 7 * DAY,
  undeliveredPurchases: 2,
  verdictLifetimeMs: 48 * HOUR,
  termsProbes: 5,
  avoidBelow: 50,
  cautionBelow: 70,
} as const

/** Score bands, best first. */
export const BAND_RANGES: readonly { id: Band; min: number; max: number }[] = [
  { id: 'excellent', min: 90, max: 100 },
  { id: 'good', min: 75, max: 89 },
  { id: 'fair', min: 50, max: 74 },
  { id: 'poor', min: 25, max: 49 },
  { id: 'bad', min: 0, max: 24 },
]

/** The highest score an endpoint may have while an incident of the kind is open. */
export const INCIDENT_CAPS: Partial<Record<IncidentKind, number>> = {
  honeypot: 10,
  receiver_hijack: 20,
  bait_and_switch: 40,
}

/** A time in days, in words. */
export const days = (ms: number) => (ms === DAY ? 'a day' : `${ms / DAY} days`)
/** A time in hours. */
export const hours = (ms: number) => `${ms / HOUR} h`

/** Every flag: how bad it is, what it means, and what its seller can do about it. */
export const FLAG_SPECS: Record<Flag, { risk: RiskLevel; meaning: string; fix: string }> = {
  unverifiable: {
    risk: 'low',
    meaning:
      "The answer's schema is declared nowhere, or the receiver cannot be looked up from here, or the host answers 402 to any path.",
    fix: 'Declare the schema of the answer in the challenge, answer 404 to paths that do not exist, and offer payment on Base.',
  },
  price_drift: {
    risk: 'low',
    meaning: 'The challenge asks another price than an old or second-hand listing claims.',
    fix: 'Refresh the listing so that it states the price that the challenge asks.',
  },
  price_high: {
    risk: 'medium',
    meaning: `The price is above $${LIMITS.priceHighUsd.toFixed(2)} and more than ${LIMITS.priceHighTimesMedian} times the median of its category, or above $${LIMITS.priceHighAloneUsd} where fewer than ${LIMITS.priceHighComparable} compare.`,
    fix: 'List the endpoint in the category that it belongs to, or state in the description what the price buys.',
  },
  terms_disagree: {
    risk: 'medium',
    meaning: 'The v1 body and the v2 header, or equal entries, name different receivers or amounts.',
    fix: 'Make both challenges from the same data, and offer one receiver and one amount per network, asset and scheme.',
  },
  payto_rotates: {
    risk: 'medium',
    meaning: 'The receiver differs from request to request, so no receiver can be vouched for.',
    fix: 'Use one receiver, and announce it when it changes.',
  },
  flaky: {
    risk: 'medium',
    meaning: `Uptime is below ${LIMITS.flakyBelowPct} % with a probability of 97.5 %.`,
    fix: 'Find out why requests fail; the daily record shows when they did.',
  },
  receiver_never_paid: {
    risk: 'medium',
    meaning: `Nothing was ever received on chain, though the listing has claimed at least ${LIMITS.neverPaidCalls} calls for over ${days(LIMITS.neverPaidListingAgeMs)}.`,
    fix: 'Correct the claim, or name the receiver that was paid.',
  },
  network_testnet: {
    risk: 'high',
    meaning: 'Settles on a test network while listed as production.',
    fix: 'Offer payment in USDC on a main network.',
  },
  asset_unknown: {
    risk: 'high',
    meaning: 'The asset is not the canonical USDC of a known network.',
    fix: 'Offer an exact entry in the canonical USDC of a main network.',
  },
  scheme_unsafe: {
    risk: 'high',
    meaning: 'Asks for an allowance or an upfront flow that the exact scheme does not need.',
    fix: 'Offer an exact entry that is paid by a transfer authorization.',
  },
  payto_changed: {
    risk: 'high',
    meaning: 'The receiver was replaced without an announcement.',
    fix: 'Announce the new receiver in /.well-known/x402 with a signature of the old one.',
  },
  price_bait: {
    risk: 'high',
    meaning: `The challenge asks over ${LIMITS.priceBaitPct} % more than the seller's own, refreshed claim.`,
    fix: 'State the price that the challenge asks, or ask the price that is stated.',
  },
  cloaked: {
    risk: 'high',
    meaning: 'Different clients are shown different terms; this was confirmed.',
    fix: 'Answer every client with the same terms.',
  },
  no_delivery: {
    risk: 'high',
    meaning: `${LIMITS.undeliveredPurchases} test purchases in a row settled and nothing was delivered.`,
    fix: 'Deliver before or with settlement, and answer an error without settling where that fails.',
  },
  receiver_unverified: {
    risk: 'high',
    meaning: 'The receiver is the token itself, the zero address, a burn address, or malformed.',
    fix: 'Name an address that you control.',
  },
}

/** The specification as `/trust-score.json` publishes it. */
export const SCORE_SPEC: ScoreSpec = {
  version: SCORE_VERSION,
  bands: BAND_RANGES.map((range) => ({ ...range })),
  factors: [
    {
      id: 'live',
      name: 'Live and valid',
      min: 0,
      max: POINTS.live,
      when: "A well-formed x402 challenge by the endpoint's own method, in header or body; a dark or invalid endpoint is 0.",
    },
    {
      id: 'stability',
      name: 'Receiver stability',
      min: POINTS.stability.changed,
      max: POINTS.stability.stable,
      when: `stable: the same receiver over at least ${LIMITS.stableProbes} successful probes spanning at least ${hours(LIMITS.stableSpanMs)}; new: too recent to say; changed: replaced without an announcement within ${days(LIMITS.changedMs)}.`,
    },
    {
      id: 'receiver',
      name: 'Receiver on chain',
      min: POINTS.receiver.dormant,
      max: POINTS.receiver.established,
      when: `established: at least ${ESTABLISHED_PAYERS} distinct payers that it did not fund and ${ESTABLISHED_RECEIPTS} USDC receipts, the last within 30 days; dormant: history, but none in 30 days; blank: not known.`,
    },
    {
      id: 'uptime',
      name: 'Uptime',
      min: POINTS.uptimeMax,
      max: 0,
      when: `From ${LIMITS.uptimeMinProbes} scheduled probes on: ${POINTS.uptimePerPoint} points for each percentage point by which the 97.5 % quantile of the posterior (Beta(1,1), half-life ${days(LIMITS.uptimeHalfLifeMs)}) lies below ${LIMITS.uptimeTargetPct} %. All-up never costs.`,
    },
    {
      id: 'conformance',
      name: 'Conformance',
      min: 0,
      max:
        POINTS.conformance.versionsAgree +
        POINTS.conformance.resourceOrigin +
        POINTS.conformance.inputDeclared,
      when: `v1 and v2 challenges agree (a single version counts): ${POINTS.conformance.versionsAgree}; resource has the endpoint's origin: ${POINTS.conformance.resourceOrigin}; input schema declared: ${POINTS.conformance.inputDeclared}.`,
    },
    {
      id: 'priceStability',
      name: 'Price stability',
      min: POINTS.priceJumpsMax,
      max: 0,
      when: `${-POINTS.priceJump} points for each price_jump within ${days(LIMITS.priceJumpMemoryMs)}.`,
    },
  ],
  flags: (Object.keys(FLAG_SPECS) as Flag[]).map((id) => ({ id, ...FLAG_SPECS[id] })),
  verdictRules: [
    {
      verdict: 'unknown',
      when: `There is no measurement, or none has borne the status out for ${hours(LIMITS.verdictLifetimeMs)}; the score is absent too.`,
    },
    {
      verdict: 'avoid',
      when: `Dark or invalid (confirmed), or risk level high, or score below ${LIMITS.avoidBelow}.`,
    },
    {
      verdict: 'caution',
      when: `Risk level medium, or score below ${LIMITS.cautionBelow}, or the last look names a receiver that is not confirmed yet.`,
    },
    { verdict: 'safe', when: 'Otherwise.' },
  ],
  caps: Object.entries(INCIDENT_CAPS).map(([incident, maxScore]) => ({ incident, maxScore })),
  thresholds: { ...LIMITS },
  changelog: [{ version: '1.0.0', date: '2026-11-21', changes: ['First published version.'] }],
}
