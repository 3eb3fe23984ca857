import * as z from 'zod/mini'
import {
  AtomicSchema,
  CountSchema,
  DateSchema,
  named,
  PercentSchema,
  ScoreSchema,
  TimestampSchema,
  UsdSchema,
} from '../primitives.ts'
import { BANDS, FLAGS, RISK_LEVELS, STATUSES, VERDICT_LABELS, VERDICTS } from '../verdictCodes.ts'

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
    code: z.string(),
    severity: z.enum(['info', 'warn', 'critical']),
    message: z.string(),
    evidence: z.array(z.string()),
  }),
)

export const TermSchema = named(
  'Term',
  'Payment terms measured at the endpoint. Offers of another transfer method or flow than the default of the scheme are left out. Amounts are in the smallest unit of the asset.',
  z.object({
    x402Version: z.union([z.literal(1), z.literal(2)]),
    scheme: z.string(),
    network: z.string(),
    asset: z.string(),
    payTo: z.string(),
    amountAtomicMin: AtomicSchema,
    amountAtomicMax: AtomicSchema,
    method: z.string(),
  }),
)

export const EscalationSchema = named(
  'Escalation',
  'Whether to buy the live check before paying this endpoint.',
  z.object({
    recommended: z.boolean(),
    reason: z.string(),
    liveCheck: z.string(),
    priceUsd: UsdSchema,
  }),
)

/** Fields that `/verify` and the live form of `/trust` share. */
export const verdictShape = {
  endpoint: z.string(),
  known: z.boolean(),
  match: z.enum(['exact', 'template', 'none']),
  status: z.nullable(StatusSchema),
  darkSince: DarkSinceSchema,
  live: z.optional(z.boolean()),
  score: z.optional(ScoreSchema),
  verdict: VerdictCodeSchema,
  label: z.enum(Object.values(VERDICT_LABELS)),
  band: z.optional(BandSchema),
  riskLevel: RiskLevelSchema,
  flags: z.array(FlagSchema),
  /** The flags that make the verdict worse than the score alone would. */
  overruledBy: z.array(FlagSchema),
  /** A fault that awaits confirmation by a second probe. */
  degraded: z.boolean(),
  reasons: z.array(ReasonSchema),
  receiverProfile: ReceiverProfileSchema,
  receiverStability: ReceiverStabilitySchema,
  priceUsd: z.nullable(UsdSchema),
  uptimePct: z.nullable(PercentSchema),
  probes: CountSchema,
  terms: z.array(TermSchema),
  /** Hosts of the same site, or whose URL redirects to the endpoint, that measured challenges name as their resource. */
  resourceHosts: z.optional(z.array(z.string())),
  firstSeen: z.nullable(DateSchema),
  lastChecked: z.nullable(DateSchema),
  checkedAt: z.nullable(TimestampSchema),
  ts: TimestampSchema,
  cacheAgeHours: z.nullable(z.number()),
  expiresAt: z.nullable(TimestampSchema),
  advice: z.string(),
  escalation: EscalationSchema,
  scoreVersion: z.string(),
  profile: z.string(),
  /** Leaf of the log that covers the decision, once it is logged. */
  logIndex: z.optional(CountSchema),
  signature: z.optional(z.string()),
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
