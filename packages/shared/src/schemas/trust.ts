import * as z from 'zod/mini'
import {
  about,
  CountSchema,
  DateSchema,
  named,
  PercentSchema,
  TimestampSchema,
  UsdSchema,
} from '../primitives.ts'
import { COMMON } from './common.ts'
import { DatasetRecordSchema, PricePeriodSchema, ReceiverPeriodSchema } from './dataset.ts'
import { DirectoryAccuracySchema, EcosystemSchema } from './ecosystem.ts'
import { ChangeSchema, IncidentSchema } from './feeds.ts'
import { EndpointRowSchema, ProfileSchema } from './profile.ts'
import { ReceiverFactsSchema } from './receiver.ts'
import { DarkSinceSchema, verdictShape } from './verdict.ts'

export const LiveProbeSchema = named(
  'LiveProbe',
  'One request of a live check and its outcome.',
  z.object({
    observation: about('Id of the observation.', z.string()),
    at: about('Time of the request, UTC.', TimestampSchema),
    purpose: about(
      'Why it was sent: on schedule, to confirm a fault, as a control, or for this live check.',
      z.enum(['scheduled', 'confirm', 'control', 'live']),
    ),
    client: about('Client that the request imitated.', z.string()),
    method: about(COMMON.method, z.string()),
    outcome: about(
      'up, down, or not_measured if the fault may be ours.',
      z.enum(['up', 'down', 'not_measured']),
    ),
    cause: about('Code of what decided the outcome.', z.string()),
    httpStatus: about('HTTP status of the answer; null without one.', z.nullable(CountSchema)),
    latencyMs: about('Time to the answer in milliseconds; null without one.', z.nullable(CountSchema)),
  }),
)

export const ScanCheckSchema = named(
  'ScanCheck',
  'One check of the scan and its outcome.',
  z.object({
    id: about('Id of the check.', z.string()),
    outcome: about('pass, fail, or unknown if it could not be decided.', z.enum(['pass', 'fail', 'unknown'])),
    severity: about(COMMON.severity, z.enum(['info', 'warn', 'critical'])),
    evidence: about('Measured values behind the outcome.', z.array(z.string())),
  }),
)

export const DriftSchema = named(
  'Drift',
  'A field that differs between the cached verdict and the live measurement.',
  z.object({
    field: about('Name of the field.', z.string()),
    cached: about('Value in the cached verdict; null if absent.', z.nullable(z.string())),
    live: about('Value measured just now; null if absent.', z.nullable(z.string())),
  }),
)

export const TrustLiveSchema = named(
  'TrustLive',
  'The verdict of one endpoint, measured on request.',
  z.object({
    ...verdictShape,
    live: about(
      'The live check.',
      z.object({
        alive: about('Whether the endpoint answered with valid payment terms just now.', z.boolean()),
        probes: about('Requests that the check sent, in order.', z.array(LiveProbeSchema)),
      }),
    ),
    scan: about(
      'The checks of the answer.',
      z.object({ checks: about('Outcome of each check.', z.array(ScanCheckSchema)) }),
    ),
    drift: about('Fields that differ from the cached verdict.', z.array(DriftSchema)),
    receiver: about(
      'Facts about the receiver on chain; null if they could not be read.',
      z.nullable(ReceiverFactsSchema),
    ),
  }),
)

export const RiskMapSchema = named(
  'RiskMap',
  'Number of services by risk level, flag, verdict and directory.',
  z.object({
    byLevel: about('Number of services by risk level.', z.record(z.string(), CountSchema)),
    byFlag: about('Number of services by flag.', z.record(z.string(), CountSchema)),
    byVerdict: about('Number of services by verdict.', z.record(z.string(), CountSchema)),
    byDirectory: about(
      'Number of services by the directory that lists them.',
      z.record(z.string(), CountSchema),
    ),
  }),
)

export const TrustCatalogSchema = named(
  'TrustCatalog',
  'The working services, best first, and the risk map of the ecosystem.',
  z.object({
    asOf: about(COMMON.asOf, TimestampSchema),
    services: about('Working services, best first.', z.array(ProfileSchema)),
    riskMap: RiskMapSchema,
  }),
)

export const TrustHistorySchema = named(
  'TrustHistory',
  'The track record of one endpoint.',
  z.object({
    endpoint: about(COMMON.endpoint, z.string()),
    firstSeen: about(COMMON.firstSeen, DateSchema),
    darkSince: about(COMMON.darkSince, DarkSinceSchema),
    uptime: about(
      'Share of successful probes.',
      z.object({
        pct: about('Uptime in percent; null if there are too few probes.', z.nullable(PercentSchema)),
        probes: about('Number of probes that count.', CountSchema),
        windowDays: about('Number of days that the uptime covers.', CountSchema),
        lowerBound: about(
          'Lower end of the confidence interval in percent; null if there are too few probes.',
          z.nullable(PercentSchema),
        ),
        upperBound: about(
          'Upper end of the confidence interval in percent; null if there are too few probes.',
          z.nullable(PercentSchema),
        ),
      }),
    ),
    daily: about(
      'One record for each day with probes, oldest first.',
      z.array(
        z.object({
          date: about('Day, UTC.', DateSchema),
          up: about('Successful probes.', CountSchema),
          down: about('Failed probes.', CountSchema),
          notMeasured: about('Probes that failed on our side and do not count.', CountSchema),
          latencyMsP50: about(
            'Median latency in milliseconds; null without a successful probe.',
            z.nullable(CountSchema),
          ),
          latencyMsP90: about(
            '90th percentile of latency in milliseconds; null without a successful probe.',
            z.nullable(CountSchema),
          ),
        }),
      ),
    ),
    payToHistory: about(
      'Receivers that the endpoint named, with the period and the proof of each.',
      z.array(ReceiverPeriodSchema),
    ),
    priceHistory: about(
      'Prices that the endpoint named, with the period of each.',
      z.array(PricePeriodSchema),
    ),
    changes: about(COMMON.changes, z.array(ChangeSchema)),
    incidents: about(COMMON.incidents, z.array(IncidentSchema)),
    trend: about(
      'Direction of the uptime.',
      z.object({
        direction: about('improving, stable or degrading.', z.enum(['improving', 'stable', 'degrading'])),
        basis: about('The figures that decide the direction, in one sentence.', z.string()),
      }),
    ),
  }),
)

export const StatusFeedSchema = named(
  'StatusFeed',
  'The latest measured state of the ecosystem.',
  z.object({
    asOf: about(COMMON.asOf, TimestampSchema),
    ecosystem: EcosystemSchema,
    catalogAudit: about(
      'Directories, and how many of the endpoints that each lists work.',
      z.array(DirectoryAccuracySchema),
    ),
    security: about(
      'Findings over all endpoints.',
      z.object({
        riskByLevel: about('Number of endpoints by risk level.', z.record(z.string(), CountSchema)),
        flagCounts: about('Number of endpoints by flag.', z.record(z.string(), CountSchema)),
      }),
    ),
    receiverStability: about(
      'Number of endpoints by stability of the receiver.',
      z.record(z.string(), CountSchema),
    ),
    receiverOnchain: about(
      'Number of endpoints by activity of the receiver on chain.',
      z.record(z.string(), CountSchema),
    ),
    topHealthy: about('Live endpoints with the highest scores.', z.array(EndpointRowSchema)),
    topProviders: about(
      'Hosts with the most live endpoints.',
      z.array(
        z.object({
          host: about(COMMON.host, z.string()),
          live: about('Live endpoints of the host.', CountSchema),
          trustScore: about(
            'Trust score of the host; null if nothing could be measured.',
            z.nullable(CountSchema),
          ),
        }),
      ),
    ),
    dataset: about(
      'Contents of the trust dataset, which is for sale.',
      z.object({
        priceUsd: about('Price in dollars.', UsdSchema),
        endpoint: about('URL to buy it at.', z.string()),
        liveServices: about('Working services in it.', CountSchema),
        format: about('Media type.', z.string()),
        preview: about('Its first records.', z.array(DatasetRecordSchema)),
      }),
    ),
  }),
)

export type LiveProbe = z.infer<typeof LiveProbeSchema>
export type ScanCheck = z.infer<typeof ScanCheckSchema>
export type Drift = z.infer<typeof DriftSchema>
export type TrustLive = z.infer<typeof TrustLiveSchema>
export type TrustCatalog = z.infer<typeof TrustCatalogSchema>
export type TrustHistory = z.infer<typeof TrustHistorySchema>
export type StatusFeed = z.infer<typeof StatusFeedSchema>
export type RiskMap = z.infer<typeof RiskMapSchema>
