import type { Flag, IncidentKind, ScoreSpec } from '@touchstone402/shared'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'

/** Version of the specification. Changing any number in this file is a new version with a changelog entry. */
export const SCORE_VERSION = '1.2.0'

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
  /** Age of the oldest probe that a judgement reads, and number of the newest ones. */
  keptProbesMs: 90 * DAY,
  keptProbes: 2000,
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
  refusedProbes: 3,
  inputSettledMs: 12 * HOUR,
  swapProbes: 12,
  rotationWithinMs: MINUTE,
  rotationMemoryMs: 30 * DAY,
  cloakMemoryMs: 7 * DAY,
  cloakWithinMs: HOUR,
  cacheLagMs: 6 * HOUR,
  cacheTerms: 14,
  priceJumpPct: 20,
  priceJumpUsd: 0.01,
  priceJumpWindow: 5,
  priceJumpMemoryMs: 30 * DAY,
  priceBaitPct: 20,
  priceBaitSpanMs: DAY,
  priceBaitDynamicProbes: 12,
  priceDriftPct: 1,
  priceHighUsd: 0.1,
  priceHighTimesMedian: 10,
  priceHighComparable: 5,
  priceHighAloneUsd: 1,
  categoryMaxSharePct: 20,
  priceVariesTimes: 3,
  priceVariesProbes: 20,
  priceVariesChanges: 3,
  priceMovedProbes: 5,
  priceMovedMs: 3 * HOUR,
  offerConfirmedMs: DAY,
  slowMs: 10_000,
  slowProbes: 5,
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
  unpayable_by_stock: {
    risk: 'low',
    meaning: 'Stock clients refuse every offer that the guard could pay.',
    fix: "Name the token's EIP-712 domain in `extra.name` and `extra.version`, as the contract states it.",
  },
  price_unknown: {
    risk: 'low',
    meaning: 'No offer has a price in dollars: the table has none for its asset.',
    fix: 'Offer payment in USDC as well.',
  },
  terms_new: {
    risk: 'low',
    meaning: `An offer on a network, asset, scheme or transfer method that was not there before. It is out of the signed terms until two client identities saw it over ${hours(LIMITS.offerConfirmedMs)}, or it is announced, or a signature proves its receiver.`,
    fix: 'Nothing, if the offer stays; or sign for its receiver in /.well-known/x402.',
  },
  slow: {
    risk: 'low',
    meaning: `The last ${LIMITS.slowProbes} answers took ${LIMITS.slowMs / 1000} seconds or more.`,
    fix: 'Answer unpaid calls with the challenge before any work is done.',
  },
  price_high: {
    risk: 'medium',
    meaning: `The price of the dearest offer that is vouched for, of any network and asset, is above $${LIMITS.priceHighUsd.toFixed(2)} and more than ${LIMITS.priceHighTimesMedian} times the median of its category, or above $${LIMITS.priceHighAloneUsd} if fewer than ${LIMITS.priceHighComparable} endpoints are comparable. Without a real category ("uncategorized", "other" and the like, or one with more than ${LIMITS.categoryMaxSharePct} % of all endpoints) it is above $${LIMITS.priceHighAloneUsd} and more than ${LIMITS.priceHighTimesMedian} times the median of everything listed.`,
    fix: 'List the endpoint in the right category, or state in the description what the price buys.',
  },
  price_varies: {
    risk: 'medium',
    meaning: `The price of equal requests varies by more than ${LIMITS.priceVariesTimes} times, with at least ${LIMITS.priceVariesChanges} changes of level among the last ${LIMITS.priceVariesProbes} probes, without a declared reason. The signed terms end at ${LIMITS.priceVariesTimes} times the median.`,
    fix: 'Ask one price, or declare the range: by the scheme `upto`, by tiers in one challenge, or by the input that it follows.',
  },
  terms_disagree: {
    risk: 'medium',
    meaning: `Offers of equal network, asset and scheme name different receivers, or the v1 body and the v2 header different highest amounts; or some clients still get the terms of before a change, within ${hours(LIMITS.cacheLagMs)}, or one client alone got a price that was withdrawn, within ${days(LIMITS.cloakMemoryMs)}. Several amounts for one receiver are tiers.`,
    fix: 'Build both challenges from the same data, offer one receiver per network, asset and scheme, and keep 402 responses out of caches.',
  },
  terms_unproven: {
    risk: 'medium',
    meaning:
      'A new offer names another receiver than the other offers on that kind of chain, and is neither announced nor proven.',
    fix: 'Announce the receiver in /.well-known/x402, signed by a receiver that is known, or sign for the host with the new one.',
  },
  payto_rotates: {
    risk: 'medium',
    meaning: 'The receiver changes from request to request, so it cannot be verified.',
    fix: 'Use one receiver, and announce changes; or sign every offer with one key, by the offer-receipt extension.',
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
  receiver_differs_from_listing: {
    risk: 'medium',
    meaning: "The receiver differs from the one in the seller's own document.",
    fix: 'Name the same receiver in /.well-known/x402 or OpenAPI as in the challenge.',
  },
  receiver_accused_elsewhere: {
    risk: 'medium',
    meaning:
      'An open critical incident of another host names the receiver, which was paid before that host first named it.',
    fix: 'Nothing, if the other host names your receiver without your consent; dispute the incident.',
  },
  host_accused: {
    risk: 'medium',
    meaning:
      'The host has an open critical incident, and this path appeared after it began, with a receiver that the host did not name before.',
    fix: 'Resolve the incident, or sign for the receiver in /.well-known/x402.',
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
  protocols_disagree: {
    risk: 'high',
    meaning:
      'The 402 asks for different payments by two protocols, such as x402 and MPP: another price, or another receiver of the same token.',
    fix: 'Name one price, and one receiver per network and token, in every protocol of the 402.',
  },
  price_bait: {
    risk: 'high',
    meaning: `The lowest price of the challenge is over ${LIMITS.priceBaitPct} % above the one in the seller's own document, which was read since.`,
    fix: 'State the asked price in the listing, or ask the listed price.',
  },
  cloaked: {
    risk: 'high',
    meaning: 'Different clients get different terms, or one gets another offer in front (confirmed).',
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
  receiver_flagged: {
    risk: 'high',
    meaning:
      'An open critical incident names the receiver: of this host; or of another one that named it first, under the same registrable domain, or where nothing was paid to the receiver before.',
    fix: 'Resolve the incident that the reason links to.',
  },
}

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
