import * as z from 'zod/mini'
import { DELIVERY_STATUSES, UNBUYABLE_REASONS, type UnbuyableReason } from '../delivery.ts'
import { FLAGS } from '../flags.ts'
import { BANDS, RISK_LEVELS, STATUSES, VERDICTS } from '../verdictCodes.ts'
import * as f from './fields.ts'

// Codes and fields that several answers share.

export const VerdictCodeSchema = z.enum(VERDICTS)
export const RiskLevelSchema = z.enum(RISK_LEVELS)
export const StatusSchema = z.enum(STATUSES)
export const BandSchema = z.enum(BANDS)
export const FlagSchema = z.enum(FLAGS)
export const ReceiverStabilitySchema = z.nullable(z.enum(['new', 'stable', 'changed']))
export const VersionSchema = z.union([z.literal(1), z.literal(2)])

export const host = f.text('Host, with the port if it is not the default one.')
export const endpoint = f.text('Canonical URL of the endpoint: scheme, host, port and path.')
export const method = f.text('HTTP method that the offer was measured with.')
export const network = f.text('Network as CAIP-2 id, or the name that the v1 challenge used.')
export const payTo = f.text('Address that the payment goes to.')
export const directory = f.text('Name of the directory.')
export const severity = f.about(
  'How much the finding weighs: info, warn or critical.',
  z.enum(['info', 'warn', 'critical']),
)
export const verdict = f.about('safe, caution, avoid or unknown.', VerdictCodeSchema)
export const priceUsd = z.nullable(
  f.usd('Price of one call in dollars, for display and sorting; null if not known in dollars.'),
)
export const uptimePct = z.nullable(
  f.percent(
    'Uptime of the last 30 days in percent, by probes or by time, whichever is worse; null below 3 probes.',
  ),
)
export const probes = f.whole('Number of probes that count.')
export const firstSeen = f.day('Day of the first listing or probe, UTC.')
export const darkSince = z.nullable(
  f.time('Time of the first failed probe of a confirmed outage that goes on; null otherwise.'),
)
export const scoreVersion = f.text('Version of the score specification that judged, as at /trust-score.json.')
export const receiverProfile = f.about(
  'Activity of the receiver on chain: established or dormant; null if it could not be read.',
  z.nullable(z.enum(['established', 'dormant'])),
)
export const receiverStability = f.about(
  'Whether the receiver is new, stable or changed; null if none was measured.',
  ReceiverStabilitySchema,
)
export const DeliverySchema = f.model('Delivery', 'The outcome of the test purchases at an endpoint.', {
  status: f.oneOf(
    'delivered or failed by the last test purchase that is shown; never_bought; or cannot_be_bought.',
    DELIVERY_STATUSES,
  ),
  month: z.nullable(
    f.about(
      'Month of that purchase, as YYYY-MM, UTC; null without one. It is shown days to weeks after the purchase.',
      z.string().check(z.regex(/^\d{4}-\d{2}$/)),
    ),
  ),
  paidUsd: z.nullable(f.usd('Dollars paid for what was delivered; null without a delivery.')),
  reason: z.nullable(
    f.oneOf(
      'Code of the reason for which it cannot be bought now; null if it can.',
      Object.keys(UNBUYABLE_REASONS) as UnbuyableReason[],
    ),
  ),
})
export const delivery = f.about(
  'The outcome of the test purchases; null in a verdict from before score 1.3.0.',
  z.nullable(DeliverySchema),
)
/** Why a probe was sent. */
export const PURPOSES = ['scheduled', 'confirm', 'control', 'live'] as const
/** How a probe counts for the uptime. */
export const OUTCOMES = ['up', 'down', 'not_measured'] as const

/** Judgement of an endpoint or of a host. */
export const judgement = {
  verdict,
  riskLevel: f.about('Level of the worst finding; unknown if never measured.', RiskLevelSchema),
  flags: f.about('Flags raised, by id; /trust-score.json explains each.', z.array(FlagSchema)),
  overruledBy: f.about('Flags that make the verdict worse than the score alone would.', z.array(FlagSchema)),
  darkSince,
}

export const asOf = f.time('Time that the answer describes, UTC.')
export const days = f.whole('Number of days that the answer looks back, with `since` those from then on.')
export const count = f.whole('Number of records in this answer.')
export const total = f.whole('Number of records that match, this answer or not.')
export const truncated = f.bool('Whether records were left out because of the limit.')
/** Size of a list. */
export const extent = { limit: f.whole('Maximum number of records, after clamping.'), count, truncated }
