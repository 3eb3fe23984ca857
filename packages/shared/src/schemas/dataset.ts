import * as z from 'zod/mini'
import {
  AtomicSchema,
  about,
  CountSchema,
  DateSchema,
  named,
  TimestampSchema,
  UsdSchema,
} from '../primitives.ts'
import { COMMON } from './common.ts'
import { EcosystemSchema } from './ecosystem.ts'
import { IncidentSchema, ProofSchema } from './feeds.ts'
import { McpServerSchema } from './mcp.ts'
import { ProfileSchema } from './profile.ts'
import { ReceiverFactsSchema } from './receiver.ts'
import { ReceiverProfileSchema } from './verdict.ts'

const periodShape = {
  from: about('Time at which the period began, UTC.', TimestampSchema),
  to: about('Time at which it ended, UTC; null for the current one.', z.nullable(TimestampSchema)),
}

export const ReceiverPeriodSchema = named(
  'ReceiverPeriod',
  'A period in which an endpoint named one receiver.',
  z.object({ payTo: about(COMMON.payTo, z.string()), ...periodShape, proof: ProofSchema }),
)

export const PricePeriodSchema = named(
  'PricePeriod',
  'A period at one price.',
  z.object({
    priceUsd: about(COMMON.priceUsd, z.nullable(UsdSchema)),
    amountAtomic: about(COMMON.amountAtomic, AtomicSchema),
    ...periodShape,
  }),
)

const place = { endpoint: about(COMMON.endpoint, z.string()) }

/** A profile, with the receiver's on-chain facts and the histories of its endpoints. */
export const DatasetRecordSchema = named(
  'DatasetRecord',
  'One service of the trust dataset: its profile, the receiver on chain, and the receiver and price histories.',
  z.extend(z.omit(ProfileSchema, { receiver: true }), {
    receiverProfile: about(
      'Activity of the receiver on chain: established or dormant; null if it could not be read.',
      ReceiverProfileSchema,
    ),
    receiver: about(
      'The receiver that most live endpoints name, on chain; null if the chain was not read.',
      z.nullable(ReceiverFactsSchema),
    ),
    payToHistory: about(
      'Receivers that each endpoint named, with the period and the proof of each.',
      z.array(z.extend(ReceiverPeriodSchema, place)),
    ),
    priceHistory: about(
      'Prices that each endpoint named, with the period of each.',
      z.array(z.extend(PricePeriodSchema, place)),
    ),
  }),
)

/** Extent of a dataset: filter, limit and totals. */
export const extentShape = {
  asOf: about(COMMON.asOf, TimestampSchema),
  all: about('Whether services that do not work are included.', z.boolean()),
  limit: about(COMMON.limit, CountSchema),
  count: about(COMMON.count, CountSchema),
  total: about(COMMON.total, CountSchema),
  truncated: about(COMMON.truncated, z.boolean()),
  scoreVersion: about(COMMON.scoreVersion, z.string()),
}

export const TrustDatasetSchema = named(
  'TrustDataset',
  'The audited services, best first.',
  z.object({ ...extentShape, services: about('Services, best first.', z.array(DatasetRecordSchema)) }),
)

export const DatasetOfferSchema = named(
  'DatasetOffer',
  'A dataset for sale: its URL, price, parameters and format.',
  z.object({
    id: about('Id of the operation that sells it.', z.string()),
    path: about('Path of the operation.', z.string()),
    url: about('URL to buy it at.', z.string()),
    priceUsd: about('Price in dollars.', UsdSchema),
    summary: about('What it holds.', z.string()),
    parameters: about('What each parameter of the query does, by name.', z.record(z.string(), z.string())),
    format: about('Media type.', z.string()),
  }),
)

export const DataPreviewSchema = named(
  'DataPreview',
  'Preview of the datasets: schema of a record, coverage, samples and prices.',
  z.object({
    asOf: about(COMMON.asOf, TimestampSchema),
    datasets: about('Datasets for sale.', z.array(DatasetOfferSchema)),
    schema: about('JSON Schema of one record of services.', z.record(z.string(), z.unknown())),
    schemas: about(
      'JSON Schemas of what /data/full holds besides services.',
      z.object({
        mcpServer: about('JSON Schema of the audit of an MCP server.', z.record(z.string(), z.unknown())),
        ecosystem: about('JSON Schema of the ecosystem.', z.record(z.string(), z.unknown())),
        incident: about('JSON Schema of an incident.', z.record(z.string(), z.unknown())),
      }),
    ),
    coverage: about(
      'What the data covers.',
      z.object({
        services: about('Services known.', CountSchema),
        liveServices: about('Services with a live endpoint.', CountSchema),
        endpoints: about('Endpoints known.', CountSchema),
        liveEndpoints: about('Live endpoints.', CountSchema),
        receivers: about('Distinct receivers.', CountSchema),
        directories: about('Directories that are read.', z.array(z.string())),
        incidents: about('Incidents recorded.', CountSchema),
        incidentsOpen: about('Open incidents.', CountSchema),
        changes: about('Changes recorded.', CountSchema),
        mcpServers: about('MCP servers audited.', CountSchema),
        firstSeen: about('Day of the first record, UTC; null without any.', z.nullable(DateSchema)),
      }),
    ),
    samples: about('Whole records of services.', z.array(DatasetRecordSchema)),
    mcpServers: about('Whole audits of MCP servers.', z.array(McpServerSchema)),
    ecosystem: about('Number of endpoints by status, whole.', EcosystemSchema),
    incidents: about('Open incidents, newest first, with proof.', z.array(IncidentSchema)),
  }),
)

export type ReceiverPeriod = z.infer<typeof ReceiverPeriodSchema>
export type PricePeriod = z.infer<typeof PricePeriodSchema>
export type DatasetRecord = z.infer<typeof DatasetRecordSchema>
export type TrustDataset = z.infer<typeof TrustDatasetSchema>
export type DatasetOffer = z.infer<typeof DatasetOfferSchema>
export type DataPreview = z.infer<typeof DataPreviewSchema>
