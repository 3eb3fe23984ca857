import type * as z from 'zod/mini'
import { BASE_USDC } from './networks.ts'
import {
  all,
  cursor,
  days,
  endpoint,
  feedLimit,
  ofToken,
  packages,
  services,
  since,
  sinceDay,
} from './parameters.ts'
import type { QueryParameter } from './query.ts'
import { DataFullSchema, DataPreviewSchema, DataSampleSchema, TrustDatasetSchema } from './schemas/dataset.ts'
import { ChangeFeedSchema, IncidentFeedSchema } from './schemas/feeds.ts'
import { McpDriftFeedSchema, McpReportSchema } from './schemas/mcp.ts'
import { ReportFeedSchema } from './schemas/reports.ts'
import { ScoreSpecSchema } from './schemas/scoreSpec.ts'
import { FlowSchema, MomentumSchema, PulseSchema, WhalesSchema } from './schemas/token.ts'
import { StatusFeedSchema, TrustCatalogSchema, TrustHistorySchema, TrustLiveSchema } from './schemas/trust.ts'
import { VerdictSchema } from './schemas/verdict.ts'

/** One operation of the HTTP interface. All of them are GET. */
export type Operation = {
  path: `/${string}`
  summary: string
  query: Readonly<Record<string, QueryParameter>>
  /** Schema of the 200 body. With several schemas the query decides which one applies. */
  response: readonly z.ZodMiniType[]
} & (
  | {
      /** Default price per call in dollars, as a decimal string. The configuration may override it. */
      priceUsd: string
      /** A valid query, for directories that test the operation. */
      sampleQuery: Readonly<Record<string, string>>
      /** An answer may exceed memory, so it is written to disk and streamed from there. */
      snapshot?: true
    }
  | {
      priceUsd: null
      /** How long an answer may be cached, in seconds. */
      maxAgeSeconds: number
    }
)

const sampleToken = { token: BASE_USDC }

/** The contract. Routes, OpenAPI, prices and the typed clients derive from this table only. */
export const OPERATIONS = {
  verify: {
    path: '/verify',
    summary: 'Cached trust verdict of one endpoint, signed.',
    query: { endpoint: { ...endpoint, required: true } },
    response: [VerdictSchema],
    priceUsd: null,
    maxAgeSeconds: 60,
  },
  trust: {
    path: '/trust',
    summary:
      'With an endpoint: its verdict, measured on request, with scan, drift and receiver. Without: the working services and the risk map.',
    query: { endpoint },
    response: [TrustLiveSchema, TrustCatalogSchema],
    priceUsd: '0.005',
    sampleQuery: {},
    snapshot: true,
  },
  trustHistory: {
    path: '/trust/history',
    summary: 'Track record of one endpoint: uptime, receivers, prices, changes, incidents, trend.',
    query: { endpoint: { ...endpoint, required: true } },
    response: [TrustHistorySchema],
    priceUsd: '0.005',
    sampleQuery: { endpoint: endpoint.example },
  },
  trustDataset: {
    path: '/trust/dataset',
    summary: 'Bulk trust dataset: score, verdict, flags, on-chain receiver and histories of each service.',
    query: { all, limit: services(2000) },
    response: [TrustDatasetSchema],
    priceUsd: '0.10',
    sampleQuery: { limit: '100' },
    snapshot: true,
  },
  dataFull: {
    path: '/data/full',
    summary:
      'Full data: all audited services, safety audits of MCP servers, the ecosystem, and open incidents with proof.',
    query: { all, limit: services(3000) },
    response: [DataFullSchema],
    priceUsd: '1.00',
    sampleQuery: { limit: '100' },
    snapshot: true,
  },
  pulse: {
    path: '/pulse',
    summary:
      'Activity of a token over a window: transfers, addresses, volume, mints, burns, concentration, series.',
    query: ofToken,
    response: [PulseSchema],
    priceUsd: '0.002',
    sampleQuery: sampleToken,
  },
  whales: {
    path: '/whales',
    summary: 'Large transfers of a token over a window, largest first, and volume into and out of contracts.',
    query: {
      token: ofToken.token,
      min: {
        kind: 'decimal',
        description:
          'Minimum amount of a large transfer, in token units. By default it is derived, and the answer states the rule.',
      },
      window: ofToken.window,
      partial: ofToken.partial,
    },
    response: [WhalesSchema],
    priceUsd: '0.002',
    sampleQuery: sampleToken,
  },
  flow: {
    path: '/flow',
    summary:
      'Net flow of a token by address over a window: accumulators, distributors, and a check that all nets sum to zero.',
    query: ofToken,
    response: [FlowSchema],
    priceUsd: '0.005',
    sampleQuery: sampleToken,
  },
  momentum: {
    path: '/momentum',
    summary:
      'A window of a token compared with the one of equal time before it: the change of each figure, and a direction.',
    query: ofToken,
    response: [MomentumSchema],
    priceUsd: '0.005',
    sampleQuery: sampleToken,
  },
  status: {
    path: '/status.json',
    summary: 'State of the ecosystem: liveness, directory accuracy, risk map, receivers, dataset preview.',
    query: {},
    response: [StatusFeedSchema],
    priceUsd: null,
    maxAgeSeconds: 60,
  },
  incidents: {
    path: '/incidents.json',
    summary: 'Security incidents with on-chain proof, newest first.',
    query: { days: days(30), since, limit: feedLimit, cursor },
    response: [IncidentFeedSchema],
    priceUsd: null,
    maxAgeSeconds: 60,
  },
  changes: {
    path: '/changes.json',
    summary: 'Recent changes: services gone dark, receivers changed, price jumps, new services.',
    query: { days: days(7), since, limit: feedLimit, cursor },
    response: [ChangeFeedSchema],
    priceUsd: null,
    maxAgeSeconds: 60,
  },
  reports: {
    path: '/reports.json',
    summary: 'State-of-the-ecosystem report and the daily series.',
    query: { since: sinceDay },
    response: [ReportFeedSchema],
    priceUsd: null,
    maxAgeSeconds: 300,
  },
  data: {
    path: '/data.json',
    summary: 'Preview of the datasets: schema, coverage, samples, prices.',
    query: {},
    response: [DataPreviewSchema],
    priceUsd: null,
    maxAgeSeconds: 300,
  },
  dataSample: {
    path: '/data/sample',
    summary: 'One whole record of each kind that /data/full sells.',
    query: {},
    response: [DataSampleSchema],
    priceUsd: null,
    maxAgeSeconds: 300,
  },
  mcpReport: {
    path: '/mcp-report.json',
    summary: 'State of the audited MCP servers: verdicts, changes of the last week, risky ones.',
    query: {},
    response: [McpReportSchema],
    priceUsd: null,
    maxAgeSeconds: 300,
  },
  mcpDrift: {
    path: '/mcp/drift.json',
    summary: 'Changes of the npm packages of audited MCP servers, newest first.',
    query: { days: { ...days(7), max: 30 }, packages },
    response: [McpDriftFeedSchema],
    priceUsd: null,
    maxAgeSeconds: 300,
  },
  trustScore: {
    path: '/trust-score.json',
    summary: 'Specification of the trust score: bands, factors, flags, verdict rules, versions.',
    query: {},
    response: [ScoreSpecSchema],
    priceUsd: null,
    maxAgeSeconds: 3600,
  },
} as const satisfies Record<string, Operation>

/** Id of an operation. */
export type OperationId = keyof typeof OPERATIONS
/**
 * What the paid datasets hold of every service and MCP server, and no free answer of more than a few: previews, samples and
 * the page of one host. The log publishes the chain records of receivers by host and day, 24 hours after the end of the day.
 */
export const DATASET_FIELDS = {
  receiver: 'The record of the receiver on chain: receipts, payers, block.',
  payToHistory: 'Receivers of each endpoint with their periods and proofs.',
  priceHistory: 'Prices of each endpoint with their periods.',
  mcpServers: 'Safety audits of MCP servers.',
} as const

/** Id of an operation that has a price. */
export type PaidOperationId = {
  [Id in OperationId]: (typeof OPERATIONS)[Id]['priceUsd'] extends string ? Id : never
}[OperationId]
/** Id of an operation without a price. */
export type FreeOperationId = Exclude<OperationId, PaidOperationId>

/** Id of an operation whose answer is streamed from disk. */
export type SnapshotOperationId = {
  [Id in OperationId]: (typeof OPERATIONS)[Id] extends { snapshot: true } ? Id : never
}[OperationId]

const OPERATION_IDS = Object.keys(OPERATIONS) as OperationId[]

/** Ids of the operations whose answers are streamed from disk, in the order of the table. */
export const SNAPSHOT_OPERATIONS = OPERATION_IDS.filter(
  (id): id is SnapshotOperationId => 'snapshot' in OPERATIONS[id],
)

/** Ids of the paid operations, in the order of the table. */
export const PAID_OPERATIONS = OPERATION_IDS.filter(
  (id): id is PaidOperationId => OPERATIONS[id].priceUsd !== null,
)

/** Ids of the free operations, in the order of the table. */
export const FREE_OPERATIONS = OPERATION_IDS.filter(
  (id): id is FreeOperationId => OPERATIONS[id].priceUsd === null,
)

/** Version of the HTTP interface: `info.version` of the OpenAPI document. */
export const INTERFACE_VERSION = '1.0.0'
