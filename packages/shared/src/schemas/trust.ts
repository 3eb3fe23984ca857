import * as z from 'zod/mini'
import { CountSchema, DateSchema, named, PercentSchema, TimestampSchema, UsdSchema } from '../primitives.ts'
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
    observation: z.string(),
    at: TimestampSchema,
    purpose: z.enum(['scheduled', 'confirm', 'control', 'live']),
    client: z.string(),
    method: z.string(),
    outcome: z.enum(['up', 'down', 'not_measured']),
    cause: z.string(),
    httpStatus: z.nullable(CountSchema),
    latencyMs: z.nullable(CountSchema),
  }),
)

export const ScanCheckSchema = named(
  'ScanCheck',
  'One check of the scan and its outcome.',
  z.object({
    id: z.string(),
    outcome: z.enum(['pass', 'fail', 'unknown']),
    severity: z.enum(['info', 'warn', 'critical']),
    evidence: z.array(z.string()),
  }),
)

export const DriftSchema = named(
  'Drift',
  'A field that differs between the cached verdict and the live measurement.',
  z.object({ field: z.string(), cached: z.nullable(z.string()), live: z.nullable(z.string()) }),
)

export const TrustLiveSchema = named(
  'TrustLive',
  'The verdict of one endpoint, measured on request.',
  z.object({
    ...verdictShape,
    live: z.object({ alive: z.boolean(), probes: z.array(LiveProbeSchema) }),
    scan: z.object({ checks: z.array(ScanCheckSchema) }),
    drift: z.array(DriftSchema),
    receiver: z.nullable(ReceiverFactsSchema),
  }),
)

export const RiskMapSchema = named(
  'RiskMap',
  'Number of services by risk level, flag, verdict and directory.',
  z.object({
    byLevel: z.record(z.string(), CountSchema),
    byFlag: z.record(z.string(), CountSchema),
    byVerdict: z.record(z.string(), CountSchema),
    byDirectory: z.record(z.string(), CountSchema),
  }),
)

export const TrustCatalogSchema = named(
  'TrustCatalog',
  'The working services, best first, and the risk map of the ecosystem.',
  z.object({ asOf: TimestampSchema, services: z.array(ProfileSchema), riskMap: RiskMapSchema }),
)

export const TrustHistorySchema = named(
  'TrustHistory',
  'The track record of one endpoint.',
  z.object({
    endpoint: z.string(),
    firstSeen: DateSchema,
    darkSince: DarkSinceSchema,
    uptime: z.object({
      pct: z.nullable(PercentSchema),
      probes: CountSchema,
      windowDays: CountSchema,
      lowerBound: z.nullable(PercentSchema),
      upperBound: z.nullable(PercentSchema),
    }),
    daily: z.array(
      z.object({
        date: DateSchema,
        up: CountSchema,
        down: CountSchema,
        notMeasured: CountSchema,
        latencyMsP50: z.nullable(CountSchema),
        latencyMsP90: z.nullable(CountSchema),
      }),
    ),
    payToHistory: z.array(ReceiverPeriodSchema),
    priceHistory: z.array(PricePeriodSchema),
    changes: z.array(ChangeSchema),
    incidents: z.array(IncidentSchema),
    trend: z.object({ direction: z.enum(['improving', 'stable', 'degrading']), basis: z.string() }),
  }),
)

export const StatusFeedSchema = named(
  'StatusFeed',
  'The latest measured state of the ecosystem.',
  z.object({
    asOf: TimestampSchema,
    ecosystem: EcosystemSchema,
    catalogAudit: z.array(DirectoryAccuracySchema),
    security: z.object({
      riskByLevel: z.record(z.string(), CountSchema),
      flagCounts: z.record(z.string(), CountSchema),
    }),
    receiverStability: z.record(z.string(), CountSchema),
    receiverOnchain: z.record(z.string(), CountSchema),
    topHealthy: z.array(EndpointRowSchema),
    topProviders: z.array(
      z.object({ host: z.string(), live: CountSchema, trustScore: z.nullable(CountSchema) }),
    ),
    /** Contents of the trust dataset and its first records. */
    dataset: z.object({
      priceUsd: UsdSchema,
      endpoint: z.string(),
      liveServices: CountSchema,
      format: z.string(),
      preview: z.array(DatasetRecordSchema),
    }),
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
