import {
  ESTABLISHED_PAYERS,
  ESTABLISHED_RECEIPTS,
  FLAGS,
  type Flag,
  type IncidentKind,
  type ScoreSpec,
} from '@touchstone402/shared'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'

/** Version of the specification. Changing any number in this file is a new version with a changelog entry. */
export const SCORE_VERSION = '1.1.0'

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

/** Thresholds. Times in milliseconds, money in dollars. */
export const LIMITS = {
  stableProbes: 3,
  stableSpanMs: DAY,
  changedMs: 30 * DAY,
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
  refusedLooks: 3,
  inputSettledMs: 12 * HOUR,
  swapLooks: 12,
  rotationWithinMs: MINUTE,
  rotationMemoryMs: 30 * DAY,
  cloakMemoryMs: 7 * DAY,
  cloakWithinMs: HOUR,
  cacheLagMs: 6 * HOUR,
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
  categoryMaxSharePct: 20,
  neverPaidCalls: 10,
  neverPaidListingAgeMs: 7 * DAY,
  littleHistoryReceipts: 10,
  receiverRecordMs: 7 * DAY,
  undeliveredPurchases: 2,
  purchaseMemoryMs: 30 * DAY,
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

/** The risk level and meaning of each flag, and how a seller can clear it. */
export const FLAG_SPECS: Record<Flag, Omit<ScoreSpec['flags'][number], 'id'>> = {
  unverifiable: {
    risk: 'low',
    meaning:
      'The response schema is not declared, or the receiver is on a network that is not looked up, or the resource is on a private network such as localhost, or the host answers 402 on any path.',
    fix: 'Declare the response schema in the challenge, name the requested URL as `resource`, answer 404 on unknown paths, and offer payment on Base.',
  },
  price_drift: {
    risk: 'low',
    meaning: 'The challenge asks a different price than an old or third-party listing.',
    fix: 'Refresh the listing so that it states the price in the challenge.',
  },
  payment_unsupported: {
    risk: 'low',
    meaning: 'An official form of payment that the guard cannot pay.',
    fix: 'Offer an exact payment in the canonical USDC of a mainnet as well.',
  },
  price_high: {
    risk: 'medium',
    meaning: `The highest price, on any network, is above $${LIMITS.priceHighUsd.toFixed(2)} and more than ${LIMITS.priceHighTimesMedian} times the median of its category, or above $${LIMITS.priceHighAloneUsd} if fewer than ${LIMITS.priceHighComparable} endpoints are comparable. Without a real category ("uncategorized", "other" and the like, or one with more than ${LIMITS.categoryMaxSharePct} % of all endpoints) it is above $${LIMITS.priceHighAloneUsd} and more than ${LIMITS.priceHighTimesMedian} times the median of everything listed.`,
    fix: 'List the endpoint in the right category, or state in the description what the price buys.',
  },
  terms_disagree: {
    risk: 'medium',
    meaning: `Offers of equal network, asset and scheme name different receivers, or the v1 body and the v2 header different highest amounts; or some clients still get the terms of before a change, within ${hours(LIMITS.cacheLagMs)}, or one client alone got a price that was withdrawn, within ${days(LIMITS.cloakMemoryMs)}. Several amounts for one receiver are tiers.`,
    fix: 'Build both challenges from the same data, offer one receiver per network, asset and scheme, and keep 402 responses out of caches.',
  },
  payto_rotates: {
    risk: 'medium',
    meaning: 'The receiver changes from request to request, so it cannot be verified.',
    fix: 'Use one receiver, and announce changes.',
  },
  flaky: {
    risk: 'medium',
    meaning: `Uptime, by probes or by time, is below ${LIMITS.flakyBelowPct} % with a probability of 97.5 %.`,
    fix: 'Find out why requests fail; the daily record shows when.',
  },
  receiver_never_paid: {
    risk: 'medium',
    meaning: `The receiver never received USDC in the whole history of the chain, all offers are in USDC to it, and the listing has claimed at least ${LIMITS.neverPaidCalls} calls for over ${days(LIMITS.neverPaidListingAgeMs)}.`,
    fix: 'Correct the claim, or name the receiver that was paid.',
  },
  resource_mismatch: {
    risk: 'medium',
    meaning: 'The challenge is for a resource of another origin, so guards refuse to pay it.',
    fix: 'Name the URL that was requested as `resource` of the challenge, or let the named URL redirect to it.',
  },
  network_testnet: {
    risk: 'high',
    meaning: 'Settles on a testnet while listed as production.',
    fix: 'Offer payment in USDC on a mainnet.',
  },
  asset_unknown: {
    risk: 'high',
    meaning:
      'The asset is a token that neither the protocol nor the issuer of a stablecoin names on its network.',
    fix: 'Offer an exact payment in the canonical USDC of a mainnet.',
  },
  scheme_unsafe: {
    risk: 'high',
    meaning:
      'Asks for an allowance or a flow outside every published scheme, or its fields contradict its scheme.',
    fix: 'Offer an exact payment by transfer authorization.',
  },
  payto_changed: {
    risk: 'high',
    meaning: 'The receiver changed without an announcement.',
    fix: 'Announce the new receiver in /.well-known/x402, signed by the old one.',
  },
  price_bait: {
    risk: 'high',
    meaning: `The lowest price of the challenge is over ${LIMITS.priceBaitPct} % above the seller's own listing, which was refreshed since.`,
    fix: 'State the asked price in the listing, or ask the listed price.',
  },
  cloaked: {
    risk: 'high',
    meaning: 'Different clients get different terms (confirmed).',
    fix: 'Return the same terms to every client.',
  },
  no_delivery: {
    risk: 'high',
    meaning: `${LIMITS.undeliveredPurchases} test purchases in a row settled without a delivery.`,
    fix: 'Deliver before or with settlement; if delivery fails, return an error without settling.',
  },
  receiver_unverified: {
    risk: 'high',
    meaning: 'The receiver is the token itself, the zero address, a burn address, or malformed.',
    fix: 'Name an address that you control.',
  },
  receiver_sanctioned: {
    risk: 'high',
    meaning: 'The sanctions oracle of the network lists the receiver.',
    fix: 'Name a receiver that is not listed.',
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
      when: "A well-formed x402 challenge to the endpoint's own method, in header or body; a dark or invalid endpoint scores 0.",
    },
    {
      id: 'stability',
      name: 'Receiver stability',
      min: POINTS.stability.changed,
      max: POINTS.stability.stable,
      when: `stable: the same receiver over at least ${LIMITS.stableProbes} successful probes spanning at least ${hours(LIMITS.stableSpanMs)}; new: fewer probes or a shorter span; changed: changed without an announcement within ${days(LIMITS.changedMs)}.`,
    },
    {
      id: 'receiver',
      name: 'Receiver on chain',
      min: POINTS.receiver.dormant,
      max: POINTS.receiver.established,
      when: `established: at least ${ESTABLISHED_PAYERS} distinct payers that it funded neither directly nor through one other address, and ${ESTABLISHED_RECEIPTS} USDC receipts, the last within 30 days; dormant: receipts, but none in 30 days; blank: unknown.`,
    },
    {
      id: 'uptime',
      name: 'Uptime',
      min: POINTS.uptimeMax,
      max: 0,
      when: `From ${LIMITS.uptimeMinProbes} scheduled probes on: ${POINTS.uptimePerPoint} points for each percentage point by which the 97.5 % quantile of the posterior (Beta(1,1), half-life ${days(LIMITS.uptimeHalfLifeMs)}) lies below ${LIMITS.uptimeTargetPct} %, by probes or by time, whichever is worse. Without failures nothing is deducted.`,
    },
    {
      id: 'conformance',
      name: 'Conformance',
      min: POINTS.conformanceMax,
      max: 0,
      when: `resource names another origin: ${POINTS.conformance.foreignResource}; input is needed and not declared: ${POINTS.conformance.undeclaredInput}; the challenge is where stock clients do not look (v2 in the body only, v1 in a header only): ${POINTS.conformance.misplacedChallenge}. A correct challenge costs nothing.`,
    },
    {
      id: 'proof',
      name: 'Proof',
      min: 0,
      max: POINTS.proof.delivered + POINTS.proof.signed,
      when: `The last test purchase was delivered, within ${days(LIMITS.purchaseMemoryMs)}: ${POINTS.proof.delivered}; the receiver signed for the host in /.well-known/x402: ${POINTS.proof.signed}.`,
    },
    {
      id: 'priceStability',
      name: 'Price stability',
      min: POINTS.priceJumpsMax,
      max: 0,
      when: `${-POINTS.priceJump} points for each price_jump within ${days(LIMITS.priceJumpMemoryMs)}.`,
    },
  ],
  flags: FLAGS.map((id) => ({ id, ...FLAG_SPECS[id] })),
  verdictRules: [
    {
      verdict: 'unknown',
      when: `Never measured, or the status was not confirmed for ${hours(LIMITS.verdictLifetimeMs)}, or every offer is on a network that is not known and the risk level is not high; there is no score then.`,
    },
    {
      verdict: 'avoid',
      when: `Dark or invalid (confirmed), or risk level high, or score below ${LIMITS.avoidBelow}.`,
    },
    {
      verdict: 'caution',
      when: `Risk level medium, or score below ${LIMITS.cautionBelow} now or by a failed probe of the last ${hours(LIMITS.flakyMemoryMs)}, or the last probe names another receiver that is not confirmed yet, or at least ${LIMITS.refusedLooks} probes in a row were refused or answered in a form that is not known.`,
    },
    { verdict: 'safe', when: 'Otherwise.' },
  ],
  caps: Object.entries(INCIDENT_CAPS).map(([incident, maxScore]) => ({ incident, maxScore })),
  thresholds: { ...LIMITS },
  changelog: [
    {
      version: '1.1.0',
      date: '2026-11-22',
      changes: [
        'Conformance only deducts, so that valid sellers score 95, 90, 86 and 75; proof adds up to 5, and 100 takes proof.',
        'Removed routes go dark: 404 and 410 by the request that worked before, seen by two client identities; 400, 405, 415 and 422 after the documents of the host were read again. From 3 refused probes in a row on, the verdict is at best Caution.',
        'Prices of uncategorized endpoints are compared with the whole directory.',
        'Official forms that the guard cannot pay are payment_unsupported (low), not asset_unknown or scheme_unsafe; where all offers are on unknown networks, the verdict is unknown.',
        'receiver_never_paid is not raised where an offer settles on a network that is not read.',
        'Input that is a placeholder or does not fit its own schema does not count as declared.',
        'A resource of another origin costs 3 points, and raises resource_mismatch (medium) if guards refuse it.',
        'receiver_sanctioned (high): the sanctions oracle of the network lists the receiver.',
        'Payers that the receiver funded through one other address do not count towards established.',
        'Receiver facts state how far back the chain was read; "ever" is said only of a whole history.',
        'Where flags decide the verdict, answers name them in overruledBy, and the score is no mark of quality.',
        'The risk level of what was never measured is unknown, not clean.',
        'Uptime takes the worse of probes and time, so that a dark service keeps no flattering uptime.',
        'Offers that differ only in amount are tiers, judged by the highest, and for price_bait by the lowest; a free offer has no price and counts for nothing beside others.',
      ],
    },
    { version: '1.0.0', date: '2026-11-21', changes: ['First published version.'] },
  ],
}
