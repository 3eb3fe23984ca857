import * as z from 'zod/mini'
import { VERDICT_LABELS } from '../verdictCodes.ts'
import * as common from './common.ts'
import * as f from './fields.ts'

const ReasonSchema = f.model('Reason', 'One finding behind a verdict, and its evidence.', {
  code: f.text('Id of the finding.'),
  severity: common.severity,
  message: f.text('The finding in one sentence.'),
  evidence: f.texts('Ids of the observations behind it.'),
})

export const TermSchema = f.model(
  'Term',
  'Payment terms measured at the endpoint. Offers of another transfer method or flow than the default of the scheme are left out. Amounts are in the smallest unit of the asset.',
  {
    x402Version: f.about('Protocol version of the offer.', common.VersionSchema),
    scheme: f.text('Payment scheme, such as exact.'),
    network: common.network,
    asset: f.text('Contract address of the token.'),
    payTo: common.payTo,
    amountAtomicMin: f.atomic('Lowest amount measured, in the smallest unit of the asset.'),
    amountAtomicMax: f.atomic('Highest amount measured, in the smallest unit of the asset.'),
    method: common.method,
  },
)

const EscalationSchema = f.model('Escalation', 'Whether to buy the live check before paying.', {
  recommended: f.bool('Whether a live check is worth its price before paying.'),
  reason: f.text('Why, in one sentence.'),
  liveCheck: f.text('URL of the live check.'),
  priceUsd: f.usd('Price of the live check in dollars.'),
})

const MATCHES = ['exact', 'template', 'none'] as const

/** Fields that `/verify` and the live form of `/trust` share. */
export const verdictShape = {
  endpoint: common.endpoint,
  known: f.bool('Whether the index holds the endpoint.'),
  match: f.oneOf('How the endpoint was found: by its URL, by a path template, or not at all.', MATCHES),
  status: f.about(
    'Result of the latest probes: live, dark, invalid or unmeasured; null if the endpoint is unknown.',
    z.nullable(common.StatusSchema),
  ),
  ...common.judgement,
  live: z.optional(
    f.bool('Whether the endpoint answered with valid payment terms; absent if never measured.'),
  ),
  score: z.optional(f.score('Trust score from 0 to 100; absent if never measured.')),
  label: f.oneOf('The verdict in words.', Object.values(VERDICT_LABELS)),
  band: f.about('Id of the score band; absent without a score.', z.optional(common.BandSchema)),
  degraded: f.bool('Whether a fault awaits confirmation by a second probe.'),
  reasons: f.listOf('Findings behind the verdict, worst first.', ReasonSchema),
  receiverProfile: common.receiverProfile,
  receiverStability: common.receiverStability,
  delivery: common.delivery,
  priceUsd: common.priceUsd,
  uptimePct: common.uptimePct,
  probes: common.probes,
  terms: f.listOf('Payment terms that were measured; a guard pays nothing else.', TermSchema),
  resourceHosts: z.optional(
    f.texts(
      'Other hosts that challenges name as resource: of the same site, or redirecting to the endpoint.',
    ),
  ),
  firstSeen: z.nullable(f.day('Day of the first listing or probe, UTC; null if unknown.')),
  lastChecked: z.nullable(f.day('Day of the last probe, UTC; null if never probed.')),
  checkedAt: z.nullable(f.time('Time of the last measurement, UTC; null without one.')),
  ts: f.time('Time of this answer, UTC.'),
  cacheAgeHours: z.nullable(f.number('Hours since the last measurement; null without one.')),
  expiresAt: z.nullable(
    f.time('Time of expiry, 48 hours after the last successful measurement, UTC; null without one.'),
  ),
  advice: f.text('What to do, in one sentence.'),
  escalation: EscalationSchema,
  scoreVersion: common.scoreVersion,
  profile: f.text("URL of the host's trust profile."),
  logIndex: z.optional(f.whole('Leaf of the transparency log that covers the decision, once it is logged.')),
  signature: z.optional(
    f.text('Compact JWS (EdDSA); keys at /.well-known/jwks.json. Absent if there is nothing to sign.'),
  ),
}

export const VerdictSchema = f.model('Verdict', 'The cached trust verdict of one endpoint.', verdictShape)

export type VerdictCode = z.infer<typeof common.VerdictCodeSchema>
export type RiskLevel = z.infer<typeof common.RiskLevelSchema>
export type Status = z.infer<typeof common.StatusSchema>
export type Band = z.infer<typeof common.BandSchema>
export type ReceiverProfile = z.infer<typeof common.receiverProfile>
export type ReceiverStability = z.infer<typeof common.ReceiverStabilitySchema>
export type Delivery = z.infer<typeof common.DeliverySchema>
export type Reason = z.infer<typeof ReasonSchema>
export type Term = z.infer<typeof TermSchema>
export type Verdict = z.infer<typeof VerdictSchema>
