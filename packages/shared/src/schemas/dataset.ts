import * as z from 'zod/mini'
import * as common from './common.ts'
import { EcosystemSchema } from './ecosystem.ts'
import { IncidentSchema, ProofSchema } from './feeds.ts'
import * as f from './fields.ts'
import { McpServerSchema } from './mcp.ts'
import { ProfileSchema } from './profile.ts'
import { ReceiverFactsSchema } from './receiver.ts'

const periodShape = {
  from: f.time('Time at which the period began, UTC.'),
  to: z.nullable(f.time('Time at which it ended, UTC; null for the current one.')),
}

export const ReceiverPeriodSchema = f.model('ReceiverPeriod', 'A period with one receiver.', {
  payTo: common.payTo,
  ...periodShape,
  proof: ProofSchema,
})

export const PricePeriodSchema = f.model('PricePeriod', 'A period at one price.', {
  priceUsd: common.priceUsd,
  amountAtomic: f.atomic('Amount in the smallest unit of the asset, as decimal digits.'),
  ...periodShape,
})

const place = { endpoint: common.endpoint }

/** A profile, with the receiver's on-chain facts and the histories of its endpoints. */
export const DatasetRecordSchema = f.named(
  'DatasetRecord',
  'One service of the trust dataset: its profile, its receiver on chain, and its histories. No free answer holds `receiver`, `payToHistory` and `priceHistory` of more than a few services.',
  z.extend(z.omit(ProfileSchema, { receiver: true }), {
    receiverProfile: common.receiverProfile,
    receiver: f.about(
      'The receiver that most live endpoints name, on chain; null if the chain was not read.',
      z.nullable(ReceiverFactsSchema),
    ),
    payToHistory: f.listOf('Receivers of each endpoint.', z.extend(ReceiverPeriodSchema, place)),
    priceHistory: f.listOf('Prices of each endpoint.', z.extend(PricePeriodSchema, place)),
  }),
)

/** Extent of a dataset: filter, limit and totals. */
const extentShape = {
  asOf: common.asOf,
  all: f.bool('Whether services that do not work are included.'),
  ...common.extent,
  total: common.total,
  scoreVersion: common.scoreVersion,
}

export const TrustDatasetSchema = f.model('TrustDataset', 'The audited services, best first.', {
  ...extentShape,
  services: f.listOf('Services, best first.', DatasetRecordSchema),
})

const DatasetOfferSchema = f.model('DatasetOffer', 'A dataset for sale.', {
  id: f.text('Id of the operation that sells it.'),
  path: f.text('Path of the operation.'),
  url: f.text('URL to buy it at.'),
  priceUsd: f.usd('Price in dollars.'),
  summary: f.text('What it holds.'),
  parameters: f.about('What each parameter of the query does, by name.', z.record(z.string(), z.string())),
  format: f.text('Media type.'),
})

export const DataPreviewSchema = f.model('DataPreview', 'Preview of the datasets for sale.', {
  asOf: common.asOf,
  datasets: f.listOf('Datasets for sale.', DatasetOfferSchema),
  schema: f.json('JSON Schema of one record of services.'),
  schemas: f.group('JSON Schemas of what /data/full holds besides services.', {
    mcpServer: f.json('JSON Schema of the audit of an MCP server.'),
    ecosystem: f.json('JSON Schema of the ecosystem.'),
    incident: f.json('JSON Schema of an incident.'),
  }),
  coverage: f.group('What the data covers.', {
    services: f.whole('Services known.'),
    liveServices: f.whole('Services with a live endpoint.'),
    endpoints: f.whole('Endpoints known.'),
    liveEndpoints: f.whole('Live endpoints.'),
    receivers: f.whole('Distinct receivers.'),
    directories: f.texts('Directories that are read.'),
    incidents: f.whole('Incidents recorded.'),
    incidentsOpen: f.whole('Open incidents.'),
    changes: f.whole('Changes recorded.'),
    mcpServers: f.whole('MCP servers audited.'),
    firstSeen: z.nullable(f.day('Day of the first record, UTC; null without any.')),
  }),
  samples: f.listOf('Whole records of services.', DatasetRecordSchema),
  mcpServers: f.listOf('Whole audits of MCP servers.', McpServerSchema),
  ecosystem: f.about('Number of endpoints by status, whole.', EcosystemSchema),
  incidents: f.listOf('Open incidents, newest first, with proof.', IncidentSchema),
})

export const DataFullSchema = f.model(
  'DataFull',
  'All audited services and MCP servers, the ecosystem, and the open incidents.',
  {
    ...extentShape,
    services: f.listOf('Services, best first.', DatasetRecordSchema),
    mcpServerCount: f.whole('Number of all MCP servers; the limit applies to services only.'),
    mcpServers: f.listOf(
      'Safety audits of MCP servers. No free answer holds more than a few.',
      McpServerSchema,
    ),
    ecosystem: EcosystemSchema,
    incidents: f.listOf('Open incidents, newest first.', IncidentSchema),
  },
)

export const DataSampleSchema = f.model('DataSample', 'One record of each kind that the full data holds.', {
  asOf: common.asOf,
  service: f.about(
    'A record of services; null before the first working one.',
    z.nullable(DatasetRecordSchema),
  ),
  mcpServer: f.about('A record of mcpServers; null before the first audit.', z.nullable(McpServerSchema)),
  incident: f.about('A record of incidents; null if none is open.', z.nullable(IncidentSchema)),
  ecosystem: EcosystemSchema,
})

export type ReceiverPeriod = z.infer<typeof ReceiverPeriodSchema>
export type PricePeriod = z.infer<typeof PricePeriodSchema>
export type DatasetRecord = z.infer<typeof DatasetRecordSchema>
export type DataPreview = z.infer<typeof DataPreviewSchema>
