import {
  type SignedDecision,
  type Status,
  VERDICT_LABELS,
  type Verdict,
  type VerdictCode,
} from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { DAY, HOUR, toDate, toTimestamp } from '../facts/times.ts'
import { bandOf, decideVerdict } from '../judge/score.ts'
import { LIMITS, SCORE_VERSION } from '../judge/spec.ts'

/** How long a signed "unknown" stands: long enough to save a second question, short enough to be asked again. */
const UNKNOWN_LIFETIME_MS = HOUR / 6

/** A look that is older deserves another one before a payment. */
const OLD_MS = DAY

/** Addresses and prices that an answer refers to. */
export type AnswerContext = {
  /** Origin of the service as its clients know it, without a slash at the end. */
  readonly publicUrl: string
  /** Dollars that a live check costs. */
  readonly liveCheckPriceUsd: number
  readonly now: Time
}

/** How the asked endpoint was found. */
export type Match = Verdict['match']

/** The state as it stands now: what nothing bore out for 48 h decides nothing any more, and counts as not measured. */
export function currentVerdict(
  state: EndpointState,
  now: Time,
): { status: Status; verdict: VerdictCode; score: number | null } {
  const verdict = decideVerdict(state, now)
  return verdict === 'unknown'
    ? { status: 'unmeasured', verdict, score: null }
    : { status: state.status, verdict, score: state.score }
}

/** The fields of `/verify` for an endpoint that the index holds, without its signature. */
export function describeVerdict(
  state: EndpointState,
  match: Match,
  endpoint: string,
  context: AnswerContext,
): Verdict {
  const { now } = context
  const { status, verdict, score } = currentVerdict(state, now)
  return {
    endpoint,
    known: true,
    match,
    status,
    ...(status === 'unmeasured' ? {} : { live: status === 'live' }),
    ...(score === null ? {} : { score, band: bandOf(score) }),
    verdict,
    label: VERDICT_LABELS[verdict],
    riskLevel: state.riskLevel,
    flags: [...state.flags],
    degraded: state.degraded,
    reasons: [...state.reasons],
    receiverProfile: state.receiverProfile,
    receiverStability: state.receiverStability,
    priceUsd: state.priceUsd,
    uptimePct: state.uptime.pct,
    probes: state.uptime.up + state.uptime.down,
    terms: [...state.terms],
    firstSeen: toDate(state.firstSeen),
    lastChecked: state.lastChecked === null ? null : toDate(state.lastChecked),
    checkedAt: state.lastChecked === null ? null : toTimestamp(state.lastChecked),
    expiresAt: state.expiresAt === null ? null : toTimestamp(state.expiresAt),
    advice: ADVICE[verdict],
    escalation: escalate(verdict, state, endpoint, context),
    scoreVersion: state.scoreVersion,
    profile: profileUrl(context.publicUrl, state.host),
    ...describeAge(state, now),
  }
}

/** The fields of `/verify` that change with every moment. */
export function describeAge(
  { lastChecked }: EndpointState,
  now: Time,
): Pick<Verdict, 'ts' | 'cacheAgeHours'> {
  return {
    ts: toTimestamp(now),
    cacheAgeHours: lastChecked === null ? null : Math.round((now - lastChecked) / (HOUR / 100)) / 100,
  }
}

/** Until when all other fields of `/verify` stay as they are now; infinity where time alone changes nothing. */
export function standsUntil({ confirmedAt, lastChecked }: EndpointState, now: Time): Time {
  const turns = [
    ...(confirmedAt === null ? [] : [confirmedAt + LIMITS.verdictLifetimeMs]),
    ...(lastChecked === null ? [] : [lastChecked + OLD_MS + 1]),
  ]
  return Math.min(...turns.filter((turn) => turn > now))
}

/** The fields of `/verify` for an endpoint that the index does not hold. */
export function describeUnknown(endpoint: string, context: AnswerContext): Verdict {
  return {
    endpoint,
    known: false,
    match: 'none',
    status: null,
    verdict: 'unknown',
    label: VERDICT_LABELS.unknown,
    riskLevel: 'clean',
    flags: [],
    degraded: false,
    reasons: [],
    receiverProfile: null,
    receiverStability: null,
    priceUsd: null,
    uptimePct: null,
    probes: 0,
    terms: [],
    firstSeen: null,
    lastChecked: null,
    checkedAt: null,
    ts: toTimestamp(context.now),
    cacheAgeHours: null,
    expiresAt: null,
    advice: ADVICE.unknown,
    escalation: escalate('unknown', undefined, endpoint, context),
    scoreVersion: SCORE_VERSION,
    profile: profileUrl(context.publicUrl, new URL(endpoint).host),
  }
}

/** What is signed of a verdict. An unknown one expires soon, so that it is asked again. */
export function toDecision(verdict: Verdict, seq: number, publicUrl: string, now: Time): SignedDecision {
  return {
    iss: publicUrl,
    endpoint: verdict.endpoint,
    verdict: verdict.verdict,
    ...(verdict.score === undefined ? {} : { score: verdict.score }),
    riskLevel: verdict.riskLevel,
    flags: verdict.flags,
    terms: verdict.terms,
    receiverStability: verdict.receiverStability,
    probes: verdict.probes,
    checkedAt: verdict.checkedAt,
    expiresAt:
      verdict.verdict === 'unknown' || verdict.expiresAt === null
        ? toTimestamp(now + UNKNOWN_LIFETIME_MS)
        : verdict.expiresAt,
    seq,
    scoreVersion: verdict.scoreVersion,
  }
}

const ADVICE: Record<VerdictCode, string> = {
  safe: 'Nothing speaks against paying this endpoint on the terms listed here.',
  caution: 'Look at the reasons before paying; a live check tells whether they still hold.',
  avoid: 'Do not pay this endpoint.',
  unknown: 'Nothing is known that could vouch for this endpoint; make a live check before paying.',
}

function escalate(
  verdict: VerdictCode,
  state: EndpointState | undefined,
  endpoint: string,
  { publicUrl, liveCheckPriceUsd, now }: AnswerContext,
): Verdict['escalation'] {
  const reason = escalationReason(verdict, state, now)
  return {
    recommended: reason !== null,
    reason: reason ?? 'The cached verdict is recent and rests on enough looks.',
    liveCheck: `${publicUrl}/trust?endpoint=${encodeURIComponent(endpoint)}`,
    priceUsd: liveCheckPriceUsd,
  }
}

function escalationReason(verdict: VerdictCode, state: EndpointState | undefined, now: Time): string | null {
  if (state === undefined) return 'The endpoint has not been looked at yet.'
  if (verdict === 'unknown') return 'No recent look vouches for the endpoint.'
  if (state.degraded) return 'The last look contradicts the verdict and awaits confirmation.'
  if (verdict === 'caution') return 'The verdict is caution.'
  if (verdict === 'safe' && state.receiverStability === 'new') return 'The receiver is new.'
  if (state.lastChecked !== null && now - state.lastChecked > OLD_MS)
    return 'The last look is over a day old.'
  return null
}

/** Where a host's trust profile is. */
export function profileUrl(publicUrl: string, host: string): string {
  return `${publicUrl}/services/${encodeURIComponent(host)}`
}
