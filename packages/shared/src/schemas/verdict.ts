import * as z from 'zod/mini'
import {
  AtomicSchema,
  about,
  CountSchema,
  DateSchema,
  named,
  PercentSchema,
  ScoreSchema,
  TimestampSchema,
  UsdSchema,
} from '../primitives.ts'
import { BANDS, FLAGS, RISK_LEVELS, STATUSES, VERDICT_LABELS, VERDICTS } from '../verdictCodes.ts'
import { COMMON } from './common.ts'

export const VerdictCodeSchema = z.enum(VERDICTS)
export const RiskLevelSchema = z.enum(RISK_LEVELS)
export const StatusSchema = z.enum(STATUSES)
/** Time of the first failed probe of an outage that is confirmed and not over; null otherwise. */
export const DarkSinceSchema = z.nullable(TimestampSchema)
export const BandSchema = z.enum(BANDS)
export const FlagSchema = z.enum(FLAGS)
export const ReceiverProfileSchema = z.nullable(z.enum(['established', 'dormant']))
export const ReceiverStabilitySchema = z.nullable(z.enum(['new', 'stable', 'changed']))

export const ReasonSchema = named(
  'Reason',
  'One finding behind a verdict, with the observations that support it.',
  z.object({
    code: about('Id of the finding.', z.string()),
    severity: about(COMMON.severity, z.enum(['info', 'warn', 'critical'])),
    message: about('The finding in one sentence.', z.string()),
    evidence: about('Ids of the observations behind it.', z.array(z.string())),
  }),
)

export const TermSchema = named(
  'Term',
  'Payment terms measured at the endpoint. Offers of another transfer method or flow than the default of the scheme are left out. Amounts are in the smallest unit of the asset.',
  z.object({
    x402Version: about('Protocol version of the offer.', z.union([z.literal(1), z.literal(2)])),
    scheme: about('Payment scheme, such as exact.', z.string()),
    network: about(COMMON.network, z.string()),
    asset: about('Contract address of the token.', z.string()),
    payTo: about(COMMON.payTo, z.string()),
    amountAtomicMin: about('Lowest amount measured, in the smallest unit of the asset.', AtomicSchema),
    amountAtomicMax: about('Highest amount measured, in the smallest unit of the asset.', AtomicSchema),
    method: about(COMMON.method, z.string()),
  }),
)

export const EscalationSchema = named(
  'Escalation',
  'Whether to buy the live check before paying this endpoint.',
  z.object({
    recommended: about('Whether a live check is worth its price before paying.', z.boolean()),
    reason: about('Why, in one sentence.', z.string()),
    liveCheck: about('URL of the live check.', z.string()),
    priceUsd: about('Price of the live check in dollars.', UsdSchema),
  }),
)

/** Fields that `/verify` and the live form of `/trust` share. */
export const verdictShape = {
  endpoint: about(COMMON.endpoint, z.string()),
  known: about('Whether the index holds the endpoint.', z.boolean()),
  match: about(
    'How the endpoint was found: by its exact URL, by a listed path template, or not at all.',
    z.enum(['exact', 'template', 'none']),
  ),
  status: about(
    'Result of the latest probes: live, dark, invalid or unmeasured; null if the endpoint is unknown.',
    z.nullable(StatusSchema),
  ),
  darkSince: about(COMMON.darkSince, DarkSinceSchema),
  live: about(
    'Whether the endpoint answered with valid payment terms; absent if never measured.',
    z.optional(z.boolean()),
  ),
  score: about('Trust score from 0 to 100; absent if never measured.', z.optional(ScoreSchema)),
  verdict: about(COMMON.verdict, VerdictCodeSchema),
  label: about(
    'The verdict in words: Safe to pay, Caution, Avoid or Unknown.',
    z.enum(Object.values(VERDICT_LABELS)),
  ),
  band: about('Id of the score band; absent without a score.', z.optional(BandSchema)),
  riskLevel: about(COMMON.riskLevel, RiskLevelSchema),
  flags: about(COMMON.flags, z.array(FlagSchema)),
  overruledBy: about(COMMON.overruledBy, z.array(FlagSchema)),
  degraded: about('Whether a fault awaits confirmation by a second probe.', z.boolean()),
  reasons: about('Findings behind the verdict, worst first.', z.array(ReasonSchema)),
  receiverProfile: about(
    'Activity of the receiver on chain: established or dormant; null if it could not be read.',
    ReceiverProfileSchema,
  ),
  receiverStability: about(
    'Whether the receiver is new, stable or changed; null if none was measured.',
    ReceiverStabilitySchema,
  ),
  priceUsd: about(COMMON.priceUsd, z.nullable(UsdSchema)),
  uptimePct: about('Share of successful probes in percent; null below 3 probes.', z.nullable(PercentSchema)),
  probes: about('Number of probes that count.', CountSchema),
  terms: about('Payment terms that were measured; a guard pays nothing else.', z.array(TermSchema)),
  resourceHosts: about(
    'Other hosts that measured challenges name as their resource: of the same site, or redirecting to the endpoint.',
    z.optional(z.array(z.string())),
  ),
  firstSeen: about('Day of the first listing or probe, UTC; null if unknown.', z.nullable(DateSchema)),
  lastChecked: about('Day of the last probe, UTC; null if never probed.', z.nullable(DateSchema)),
  checkedAt: about('Time of the last measurement, UTC; null without one.', z.nullable(TimestampSchema)),
  ts: about('Time of this answer, UTC.', TimestampSchema),
  cacheAgeHours: about('Hours since the last measurement; null without one.', z.nullable(z.number())),
  expiresAt: about(
    'Time at which the verdict expires, 48 hours after the last successful measurement; null without one.',
    z.nullable(TimestampSchema),
  ),
  advice: about('What to do, in one sentence.', z.string()),
  escalation: EscalationSchema,
  scoreVersion: about(COMMON.scoreVersion, z.string()),
  profile: about("URL of the host's trust profile.", z.string()),
  logIndex: about(
    'Leaf of the transparency log that covers the decision, once it is logged.',
    z.optional(CountSchema),
  ),
  signature: about(
    'Compact JWS (EdDSA) over the decision; keys at /.well-known/jwks.json. Absent if there is nothing to sign.',
    z.optional(z.string()),
  ),
}

export const VerdictSchema = named(
  'Verdict',
  'The cached trust verdict of one endpoint.',
  z.object(verdictShape),
)

export type VerdictCode = z.infer<typeof VerdictCodeSchema>
export type RiskLevel = z.infer<typeof RiskLevelSchema>
export type Status = z.infer<typeof StatusSchema>
export type Band = z.infer<typeof BandSchema>
export type Flag = z.infer<typeof FlagSchema>
export type ReceiverProfile = z.infer<typeof ReceiverProfileSchema>
export type ReceiverStability = z.infer<typeof ReceiverStabilitySchema>
export type Reason = z.infer<typeof ReasonSchema>
export type Term = z.infer<typeof TermSchema>
export type Verdict = z.infer<typeof VerdictSchema>
