import {
  type DataPreview,
  type DatasetRecord,
  DatasetRecordSchema,
  EcosystemSchema,
  IncidentSchema,
  type McpServer,
  McpServerSchema,
  OPERATIONS,
  SNAPSHOT_OPERATIONS,
  type StatusFeed,
} from '@touchstone402/shared'
import * as z from 'zod/mini'
import type { Context } from '../../context.ts'
import { MINUTE, toDate, toTimestamp } from '../../facts/times.ts'
import { describeAudit } from '../../mcp/describe.ts'
import { describeEcosystem } from '../../publish/catalog.ts'
import { describeTally } from '../../publish/tally.ts'
import type { ReadModel } from '../../readModel/createReadModel.ts'
import { type Kept, keepMade } from '../../readModel/keepMade.ts'
import { readRecord } from '../../readModel/readRecord.ts'
import { listAudits } from '../../store/documents.ts'
import { readChanges, readIncidents } from '../../store/feeds.ts'
import { listHosts } from '../../store/listHosts.ts'
import type { Answers } from '../deps.ts'
import { createSnapshotMaker } from './createSnapshotMaker.ts'
import type { Snapshot, Snapshots } from './snapshots.ts'
import { writeCatalog, writeDataFull, writeTrustDataset } from './writeDatasets.ts'

/** Parts of dataset answers. */
export type DatasetParts = {
  readonly readModel: Pick<ReadModel, 'revision'>
  readonly snapshots: Pick<Snapshots, 'write'>
}

/** The operations that sell datasets. */
const DATASETS = SNAPSHOT_OPERATIONS.filter((id) => id !== 'trust')
/** Number of free sample records of each kind. */
const SAMPLES = 3
const FORMAT = 'application/json'

/** Handlers of the datasets and their samples, the catalog, and the preview in `/status.json`. */
export type DatasetAnswers = Pick<Answers, 'trustDataset' | 'dataFull' | 'data' | 'dataSample'> & {
  /** Writes the answer of `/trust` without an endpoint. */
  catalog(): Promise<Snapshot>
  /** @param liveServices number of services with a live endpoint */
  preview(liveServices: number): Promise<StatusFeed['dataset']>
}

/** Creates the handlers of `/trust/dataset`, `/data/full`, `/data.json`, `/data/sample` and the catalog. */
export function createDatasetAnswers(
  ctx: Pick<Context, 'clock' | 'config' | 'store'>,
  { readModel, snapshots }: DatasetParts,
): DatasetAnswers {
  const { clock, config } = ctx
  const { publicUrl, prices } = config
  const maker = createSnapshotMaker(snapshots)
  const contents = keepMade({ readModel, clock, make: () => readContents(ctx), restMs: MINUTE })
  return {
    trustDataset: (query) =>
      maker.make(`trust ${query.all} ${query.limit}`, () => writeTrustDataset(ctx, query)),
    dataFull: (query) => maker.make(`full ${query.all} ${query.limit}`, () => writeDataFull(ctx, query)),
    catalog: () => maker.make('catalog', () => writeCatalog(ctx)),
    data: () =>
      answerKept(contents, (read) => ({
        datasets: DATASETS.map((id) => describeOffer(id, publicUrl, prices[id])),
        schema: { ...SCHEMAS.service },
        schemas: { ...SCHEMAS.others },
        ...read,
      })),
    dataSample: () =>
      answerKept(contents, ({ asOf, samples, mcpServers, incidents, ecosystem }) => ({
        asOf,
        ecosystem,
        service: samples[0] ?? null,
        mcpServer: mcpServers[0] ?? null,
        incident: incidents[0] ?? null,
      })),
    preview: async (liveServices) => ({
      priceUsd: Number(prices.trustDataset),
      endpoint: `${publicUrl}${OPERATIONS.trustDataset.path}`,
      liveServices,
      format: FORMAT,
      preview: (await contents.get()).samples,
    }),
  }
}

/** Answers from a kept value, for as long as it is kept. */
export async function answerKept<T, B>(kept: Kept<T>, describe: (value: T) => B) {
  const value = await kept.get()
  return { body: describe(value), isCurrent: () => kept.peek() === value }
}

/** Counts the full data, and reads the first records of each kind. */
async function readContents({ store, clock }: Pick<Context, 'clock' | 'store'>) {
  const now = clock.now()
  const totals = await store.totals(now)
  const { hosts, workingHosts, statuses, directories } = describeTally(totals)
  const samples: DatasetRecord[] = []
  for await (const host of listHosts(store, { order: 'best', isWorking: true, limit: SAMPLES }, now)) {
    const record = await readRecord(store, host, now)
    if (record !== undefined) samples.push(record)
  }
  const mcpServers: McpServer[] = []
  let mcpServerCount = 0
  for await (const audit of listAudits(store)) {
    if (mcpServerCount++ < SAMPLES) mcpServers.push(describeAudit(audit, now))
  }
  const open = await readIncidents(store, { since: 0, limit: SAMPLES, open: true })
  const everything = { since: 0, limit: 0 }
  return {
    asOf: toTimestamp(now),
    coverage: {
      services: hosts,
      liveServices: workingHosts,
      endpoints: [...statuses.values()].reduce((sum, count) => sum + count, 0),
      liveEndpoints: statuses.get('live') ?? 0,
      receivers: totals.receivers,
      directories: directories.map(({ directory }) => directory),
      incidents: (await readIncidents(store, everything)).total,
      incidentsOpen: open.total,
      changes: (await readChanges(store, everything)).total,
      mcpServers: mcpServerCount,
      firstSeen: totals.firstSeen === null ? null : toDate(totals.firstSeen),
    },
    samples,
    mcpServers,
    incidents: [...open.records],
    ecosystem: describeEcosystem(statuses),
  }
}

const toSchema = (schema: z.ZodMiniType) => ({ ...z.toJSONSchema(schema, { io: 'input' }) })
const SCHEMAS = {
  service: toSchema(DatasetRecordSchema),
  others: {
    mcpServer: toSchema(McpServerSchema),
    ecosystem: toSchema(EcosystemSchema),
    incident: toSchema(IncidentSchema),
  },
}

function describeOffer(
  id: (typeof DATASETS)[number],
  publicUrl: string,
  priceUsd: string,
): DataPreview['datasets'][number] {
  const { path, summary, query } = OPERATIONS[id]
  return {
    id,
    path,
    url: `${publicUrl}${path}`,
    priceUsd: Number(priceUsd),
    summary,
    parameters: Object.fromEntries(
      Object.entries(query).map(([name, { description }]) => [name, description]),
    ),
    format: FORMAT,
  }
}
