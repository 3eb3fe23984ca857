import * as z from 'zod/mini'
import { AccuracyFiguresSchema } from './accuracy.ts'
import * as common from './common.ts'
import { DatasetRecordSchema, PricePeriodSchema, ReceiverPeriodSchema } from './dataset.ts'
import { DirectoryAccuracySchema, EcosystemSchema } from './ecosystem.ts'
import { ChangeSchema, IncidentSchema } from './feeds.ts'
import * as f from './fields.ts'
import { EndpointRowSchema, ProfileSchema } from './profile.ts'
import { ReceiverFactsSchema } from './receiver.ts'
import { verdictShape } from './verdict.ts'

const LiveProbeSchema = f.model('LiveProbe', 'One request of a live check and its outcome.', {
  id: f.text('Id of the probe, as at /observations/{id}.'),
  at: f.time('Time of the request, UTC.'),
  purpose: f.oneOf(
    'Why it was sent: on schedule, to confirm a fault, as a control, or live.',
    common.PURPOSES,
  ),
  client: f.text('Client that the request imitated.'),
  method: common.method,
  outcome: f.oneOf('up, down, or not_measured if the fault may be ours.', common.OUTCOMES),
  cause: f.text('Code of what decided the outcome.'),
  httpStatus: z.nullable(f.whole('HTTP status of the answer; null without one.')),
  latencyMs: z.nullable(f.whole('Time to the answer in milliseconds; null without one.')),
})

const ScanCheckSchema = f.model('ScanCheck', 'One check of the scan and its outcome.', {
  id: f.text('Id of the check.'),
  outcome: f.oneOf('pass, fail, or unknown if it could not be decided.', ['pass', 'fail', 'unknown']),
  severity: common.severity,
  evidence: f.texts('Measured values behind the outcome.'),
})

const DriftSchema = f.model('Drift', 'A field in which the cached verdict and the live one differ.', {
  field: f.text('Name of the field.'),
  cached: z.nullable(f.text('Value in the cached verdict; null if absent.')),
  live: z.nullable(f.text('Value measured just now; null if absent.')),
})

export const TrustLiveSchema = f.model('TrustLive', 'The verdict of one endpoint, measured on request.', {
  ...verdictShape,
  live: f.group('The live check.', {
    alive: f.bool('Whether the endpoint answered with valid payment terms just now.'),
    probes: f.listOf('Requests that the check sent, in order.', LiveProbeSchema),
  }),
  scan: f.group('Checks of the answer.', { checks: f.listOf('Outcome of each.', ScanCheckSchema) }),
  drift: f.listOf('Fields that differ from the cached verdict.', DriftSchema),
  receiver: f.about('The receiver on chain; null if it could not be read.', z.nullable(ReceiverFactsSchema)),
})

const RiskMapSchema = f.model('RiskMap', 'Number of services by finding and directory.', {
  byLevel: f.counts('Number of services by risk level.'),
  byFlag: f.counts('Number of services by flag.'),
  byVerdict: f.counts('Number of services by verdict.'),
  byDirectory: f.counts('Number of services by the directory that lists them.'),
})

export const TrustCatalogSchema = f.model('TrustCatalog', 'The working services and the risk map.', {
  asOf: common.asOf,
  services: f.listOf('Working services, best first.', ProfileSchema),
  riskMap: RiskMapSchema,
})

export const TrustHistorySchema = f.model('TrustHistory', 'The track record of one endpoint.', {
  endpoint: common.endpoint,
  firstSeen: common.firstSeen,
  darkSince: common.darkSince,
  uptime: f.group('Share of successful probes.', {
    pct: z.nullable(f.percent('Uptime in percent; null if there are too few probes.')),
    probes: f.whole('Number of probes that count.'),
    windowDays: f.whole('Number of days that the uptime covers.'),
    lowerBound: z.nullable(f.percent('Lower end of the confidence interval in percent; null if pct is.')),
    upperBound: z.nullable(f.percent('Upper end of the confidence interval in percent; null if pct is.')),
  }),
  daily: f.list('One record for each day with probes, oldest first.', {
    date: f.day('Day, UTC.'),
    up: f.whole('Successful probes.'),
    down: f.whole('Failed probes.'),
    notMeasured: f.whole('Probes that failed on our side and do not count.'),
    latencyMsP50: z.nullable(f.whole('Median latency in ms; null without a successful probe.')),
    latencyMsP90: z.nullable(f.whole('90th percentile of latency in ms; null without a successful probe.')),
  }),
  payToHistory: f.listOf('Receivers that the endpoint named, each with its period.', ReceiverPeriodSchema),
  priceHistory: f.listOf('Prices that the endpoint named, with the period of each.', PricePeriodSchema),
  changes: f.listOf('Changes, newest first.', ChangeSchema),
  incidents: f.listOf('Incidents, newest first.', IncidentSchema),
  trend: f.group('Direction of the uptime.', {
    direction: f.oneOf('improving, stable or degrading.', ['improving', 'stable', 'degrading']),
    basis: f.text('The figures that decide the direction, in one sentence.'),
  }),
})

export const StatusFeedSchema = f.model('StatusFeed', 'The latest measured state of the ecosystem.', {
  asOf: common.asOf,
  ecosystem: EcosystemSchema,
  catalogAudit: f.listOf('Accuracy of each directory.', DirectoryAccuracySchema),
  security: f.group('Findings over all endpoints.', {
    riskByLevel: f.counts('Number of endpoints by risk level.'),
    flagCounts: f.counts('Number of endpoints by flag.'),
  }),
  receiverStability: f.counts('Number of endpoints by stability of the receiver.'),
  receiverOnchain: f.counts('Number of endpoints by activity of the receiver on chain.'),
  topHealthy: f.listOf('Live endpoints with the highest scores.', EndpointRowSchema),
  topProviders: f.list('Hosts with the most live endpoints.', {
    host: common.host,
    live: f.whole('Live endpoints of the host.'),
    trustScore: z.nullable(f.whole('Trust score of the host; null if nothing could be measured.')),
  }),
  accuracy: z.optional(
    f.listOf(
      "How the service's own verdicts held, for each period, as of the latest report; absent before the first.",
      AccuracyFiguresSchema,
    ),
  ),
  dataset: f.group('Contents of the trust dataset, which is for sale.', {
    priceUsd: f.usd('Price in dollars.'),
    endpoint: f.text('URL to buy it at.'),
    liveServices: f.whole('Working services in it.'),
    format: f.text('Media type.'),
    preview: f.listOf('Its first records.', DatasetRecordSchema),
  }),
})

export type LiveProbe = z.infer<typeof LiveProbeSchema>
export type ScanCheck = z.infer<typeof ScanCheckSchema>
export type Drift = z.infer<typeof DriftSchema>
export type TrustLive = z.infer<typeof TrustLiveSchema>
export type TrustCatalog = z.infer<typeof TrustCatalogSchema>
export type TrustHistory = z.infer<typeof TrustHistorySchema>
export type StatusFeed = z.infer<typeof StatusFeedSchema>
export type RiskMap = z.infer<typeof RiskMapSchema>
