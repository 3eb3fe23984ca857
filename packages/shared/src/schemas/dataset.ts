import * as z from 'zod/mini'
import { AtomicSchema, CountSchema, DateSchema, named, TimestampSchema, UsdSchema } from '../primitives.ts'
import { EcosystemSchema } from './ecosystem.ts'
import { IncidentSchema, ProofSchema } from './feeds.ts'
import { McpServerSchema } from './mcp.ts'
import { ProfileSchema } from './profile.ts'
import { ReceiverFactsSchema } from './receiver.ts'
import { ReceiverProfileSchema } from './verdict.ts'

const periodShape = {
  from: TimestampSchema,
  /** Null for the current period. */
  to: z.nullable(TimestampSchema),
}

export const ReceiverPeriodSchema = named(
  'ReceiverPeriod',
  'A period in which an endpoint named one receiver.',
  z.object({ payTo: z.string(), ...periodShape, proof: ProofSchema }),
)

export const PricePeriodSchema = named(
  'PricePeriod',
  'A period at one price.',
  z.object({ priceUsd: z.nullable(UsdSchema), amountAtomic: AtomicSchema, ...periodShape }),
)

const place = { endpoint: z.string() }

/** A profile, with the receiver's on-chain facts and the histories of its endpoints. */
export const DatasetRecordSchema = named(
  'DatasetRecord',
  'One service of the trust dataset: its profile, the receiver on chain, and the receiver and price histories.',
  z.extend(z.omit(ProfileSchema, { receiver: true }), {
    receiverProfile: ReceiverProfileSchema,
    /** The receiver that most live endpoints name; null if the chain was not read. */
    receiver: z.nullable(ReceiverFactsSchema),
    payToHistory: z.array(z.extend(ReceiverPeriodSchema, place)),
    priceHistory: z.array(z.extend(PricePeriodSchema, place)),
  }),
)

/** Extent of a dataset: filter, limit and totals. */
export const extentShape = {
  asOf: TimestampSchema,
  /** Whether services that do not work are included. */
  all: z.boolean(),
  limit: CountSchema,
  count: CountSchema,
  total: CountSchema,
  truncated: z.boolean(),
  scoreVersion: z.string(),
}

export const TrustDatasetSchema = named(
  'TrustDataset',
  'The audited services, best first.',
  z.object({ ...extentShape, services: z.array(DatasetRecordSchema) }),
)

export const DatasetOfferSchema = named(
  'DatasetOffer',
  'A dataset for sale: its URL, price, parameters and format.',
  z.object({
    id: z.string(),
    path: z.string(),
    url: z.string(),
    priceUsd: UsdSchema,
    summary: z.string(),
    parameters: z.record(z.string(), z.string()),
    format: z.string(),
  }),
)

export const DataPreviewSchema = named(
  'DataPreview',
  'Preview of the datasets: schema of a record, coverage, samples and prices.',
  z.object({
    asOf: TimestampSchema,
    datasets: z.array(DatasetOfferSchema),
    /** JSON Schema of one record of `services`. */
    schema: z.record(z.string(), z.unknown()),
    /** JSON Schemas of what the full data holds besides. */
    schemas: z.object({
      mcpServer: z.record(z.string(), z.unknown()),
      ecosystem: z.record(z.string(), z.unknown()),
      incident: z.record(z.string(), z.unknown()),
    }),
    coverage: z.object({
      services: CountSchema,
      liveServices: CountSchema,
      endpoints: CountSchema,
      liveEndpoints: CountSchema,
      receivers: CountSchema,
      directories: z.array(z.string()),
      incidents: CountSchema,
      incidentsOpen: CountSchema,
      changes: CountSchema,
      mcpServers: CountSchema,
      firstSeen: z.nullable(DateSchema),
    }),
    samples: z.array(DatasetRecordSchema),
    mcpServers: z.array(McpServerSchema),
    ecosystem: EcosystemSchema,
    /** Open ones, newest first. */
    incidents: z.array(IncidentSchema),
  }),
)

export type ReceiverPeriod = z.infer<typeof ReceiverPeriodSchema>
export type PricePeriod = z.infer<typeof PricePeriodSchema>
export type DatasetRecord = z.infer<typeof DatasetRecordSchema>
export type TrustDataset = z.infer<typeof TrustDatasetSchema>
export type DatasetOffer = z.infer<typeof DatasetOfferSchema>
export type DataPreview = z.infer<typeof DataPreviewSchema>
