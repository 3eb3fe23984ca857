import {
  type SignedDecision,
  type Status,
  VERDICT_LABELS,
  type Verdict,
  type VerdictCode,
} from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import type { EndpointBrief, EndpointState } from '../facts/hostDocument.ts'
import { DAY, HOUR, toDate, toTimestamp } from '../facts/times.ts'
import { NEVER_BOUGHT } from '../judge/delivery.ts'
import { bandOf, decideVerdict } from '../judge/score.ts'
import { LIMITS, SCORE_VERSION } from '../judge/spec.ts'
import { overrulingFlags, publishedRisk } from './overruled.ts'
import { whyUnknown } from './whyUnknown.ts'

/** Lifetime of a signed `unknown`: long enough for caching, short enough to be asked again soon. */
const UNKNOWN_LIFETIME_MS = HOUR / 6

/** Age of the last probe from which a live check is recommended. */
const OLD_MS = DAY

/** URLs and prices that answers refer to. */
export type AnswerContext = {
  /** Public origin of the service, without a trailing slash. */
  readonly publicUrl: string
  readonly liveCheckPriceUsd: number
  readonly now: Time
}

/** How the requested endpoint was matched. */
export type Match = Verdict['match']

/** The current verdict on an endpoint, as in every answer. */
export type CurrentVerdict = Pick<Verdict, 'verdict' | 'riskLevel' | 'overruledBy' | 'darkSince'> & {
  readonly status: Status
  readonly score: number | null
}

/** Returns the current verdict and what goes with it. An expired state counts as not measured. */
export function currentVerdict(state: EndpointBrief, now: Time): CurrentVerdict {
  const { flags } = state
  const verdict = decideVerdict(state, now)
  const isKnown = verdict !== 'unknown'
  const score = isKnown ? state.score : null
  return {
    status: isKnown ? state.status : 'unmeasured',
    // Absent in states from before score 1.1.0.
    darkSince: isKnown && state.darkSince ? toTimestamp(state.darkSince) : null,
    verdict,
    score,
    riskLevel: publishedRisk(verdict, flags),
    overruledBy: overrulingFlags(verdict, score, flags),
  }
}

/** Whether an endpoint is live and its verdict has not expired. */
export function isLive(state: EndpointBrief, now: Time): boolean {
  return currentVerdict(state, now).status === 'live'
}

/** Builds the unsigned body of `/verify` for a known endpoint. */
export function describeVerdict(
  state: EndpointState,
  match: Match,
  endpoint: string,
  context: AnswerContext,
): Verdict {
  const { now } = context
  const { status, verdict, score, riskLevel, ...current } = currentVerdict(state, now)
  return {
    endpoint,
    known: true,
    match,
    status,
    darkSince: current.darkSince,
    ...(status === 'unmeasured' ? {} : { live: status === 'live' }),
    ...(score === null ? {} : { score, band: bandOf(score) }),
    verdict,
    label: VERDICT_LABELS[verdict],
    riskLevel,
    flags: [...state.flags],
    overruledBy: current.overruledBy,
    degraded: state.degraded,
    reasons: [...state.reasons],
    receiverProfile: state.receiverProfile,
    receiverStability: state.receiverStability,
    delivery: state.delivery ?? null,
    priceUsd: state.priceUsd,
    uptimePct: state.uptime.pct,
    probes: state.uptime.up + state.uptime.down,
    terms: [...state.terms],
    ...(state.resourceHosts && { resourceHosts: [...state.resourceHosts] }),
    firstSeen: toDate(state.firstSeen),
    lastChecked: state.lastChecked === null ? null : toDate(state.lastChecked),
    checkedAt: state.lastChecked === null ? null : toTimestamp(state.lastChecked),
    expiresAt: state.expiresAt === null ? null : toTimestamp(state.expiresAt),
    advice: advise(verdict, state, now),
    escalation: escalate(verdict, state, endpoint, context),
    scoreVersion: state.scoreVersion,
    profile: profileUrl(context.publicUrl, state.host),
    ...describeAge(state, now),
  }
}

/** Builds the fields of `/verify` that change with time. */
export function describeAge(
  { lastChecked }: EndpointState,
  now: Time,
): Pick<Verdict, 'ts' | 'cacheAgeHours'> {
  return {
    ts: toTimestamp(now),
    cacheAgeHours: lastChecked === null ? null : Math.round((now - lastChecked) / (HOUR / 100)) / 100,
  }
}

/** Returns the time at which another field of `/verify` changes; infinity if none does. */
export function standsUntil({ confirmedAt, lastChecked }: EndpointState, now: Time): Time {
  const turns = [
    ...(confirmedAt === null ? [] : [confirmedAt + LIMITS.verdictLifetimeMs]),
    ...(lastChecked === null ? [] : [lastChecked + OLD_MS + 1]),
  ]
  return Math.min(...turns.filter((turn) => turn > now))
}

/** Builds the unsigned body of `/verify` for an unknown endpoint. */
export function describeUnknown(endpoint: string, context: AnswerContext): Verdict {
  return {
    endpoint,
    known: false,
    match: 'none',
    status: null,
    darkSince: null,
    verdict: 'unknown',
    label: VERDICT_LABELS.unknown,
    riskLevel: 'unknown',
    flags: [],
    overruledBy: [],
    degraded: false,
    reasons: [],
    receiverProfile: null,
    receiverStability: null,
    delivery: NEVER_BOUGHT,
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
    advice: advise('unknown', undefined, context.now),
    escalation: escalate('unknown', undefined, endpoint, context),
    scoreVersion: SCORE_VERSION,
    profile: profileUrl(context.publicUrl, new URL(endpoint).host),
  }
}

/** Builds the signed part of a verdict. An `unknown` expires soon. */
export function toDecision(verdict: Verdict, seq: number, publicUrl: string, now: Time): SignedDecision {
  return {
    iss: publicUrl,
    endpoint: verdict.endpoint,
    verdict: verdict.verdict,
    ...(verdict.score === undefined ? {} : { score: verdict.score }),
    riskLevel: verdict.riskLevel,
    flags: verdict.flags,
    terms: verdict.terms,
    ...(verdict.resourceHosts && { resourceHosts: verdict.resourceHosts }),
    receiverStability: verdict.receiverStability,
    probes: verdict.probes,
    ...(verdict.delivery && { delivery: verdict.delivery }),
    checkedAt: verdict.checkedAt,
    expiresAt:
      verdict.verdict === 'unknown' || verdict.expiresAt === null
        ? toTimestamp(now + UNKNOWN_LIFETIME_MS)
        : verdict.expiresAt,
    seq,
    scoreVersion: verdict.scoreVersion,
    ...(verdict.logIndex !== undefined && { logIndex: verdict.logIndex }),
  }
}

const ADVICE: Record<VerdictCode, string> = {
  safe: 'No known reason not to pay this endpoint on the listed terms.',
  caution: 'Check the reasons before paying; a live check shows whether they still apply.',
  avoid: 'Do not pay this endpoint.',
  unknown: 'No recent measurement of this endpoint; make a live check before paying.',
}

const isElsewhere = (verdict: VerdictCode, state: EndpointState | undefined, now: Time) =>
  verdict === 'unknown' && whyUnknown(state, now) === 'elsewhere'

const isDeclined = (verdict: VerdictCode, state: EndpointState | undefined, now: Time) =>
  verdict === 'unknown' && whyUnknown(state, now) === 'declined'

function advise(verdict: VerdictCode, state: EndpointState | undefined, now: Time): string {
  if (isDeclined(verdict, state, now))
    return 'The host declines probes, so there is no advice on paying this endpoint.'
  return isElsewhere(verdict, state, now)
    ? 'Every offer is on a network, or in a form, that the service does not know, so there is no advice on paying it.'
    : ADVICE[verdict]
}

function escalate(
  verdict: VerdictCode,
  state: EndpointState | undefined,
  endpoint: string,
  { publicUrl, liveCheckPriceUsd, now }: AnswerContext,
): Verdict['escalation'] {
  const reason = escalationReason(verdict, state, now)
  const otherwise = isDeclined(verdict, state, now)
    ? 'A live check cannot probe a host that declines probes.'
    : isElsewhere(verdict, state, now)
      ? 'A live check cannot judge networks or forms that the service does not know.'
      : 'The cached verdict is recent and based on enough probes.'
  return {
    recommended: reason !== null,
    reason: reason ?? otherwise,
    liveCheck: `${publicUrl}/trust?endpoint=${encodeURIComponent(endpoint)}`,
    priceUsd: liveCheckPriceUsd,
  }
}

function escalationReason(verdict: VerdictCode, state: EndpointState | undefined, now: Time): string | null {
  if (state === undefined) return 'The endpoint has not been probed yet.'
  if (isElsewhere(verdict, state, now) || isDeclined(verdict, state, now)) return null
  if (verdict === 'unknown') return 'The endpoint has not been measured recently.'
  if (state.degraded) return 'The last probe contradicts the verdict and is not confirmed yet.'
  if (verdict === 'caution') return 'The verdict is caution.'
  if (verdict === 'safe' && state.receiverStability === 'new') return 'The receiver is new.'
  if (state.lastChecked !== null && now - state.lastChecked > OLD_MS)
    return 'The last probe is more than a day old.'
  return null
}

/** Returns the URL of a host's trust profile. */
export function profileUrl(publicUrl: string, host: string): string {
  return `${publicUrl}/services/${encodeURIComponent(host)}`
}
