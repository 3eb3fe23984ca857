import {
  type DataPreview,
  DatasetRecordSchema,
  EcosystemSchema,
  IncidentSchema,
  McpServerSchema,
  OPERATIONS,
  type PaidOperationId,
  SNAPSHOT_OPERATIONS,
  type StatusFeed,
} from '@touchstone402/shared'
import * as z from 'zod/mini'
import { MINUTE, toTimestamp } from '../../domain/facts/times.ts'
import { describeProfile } from '../../domain/publish/profile.ts'
import type { Clock } from '../../ports/clock.ts'
import type { McpAudits } from '../../ports/mcp.ts'
import type { Snapshot, Snapshots } from '../../ports/snapshots.ts'
import type { Store } from '../../ports/store.ts'
import { createBreathe } from '../../readModel/createBreathe.ts'
import type { ReadModel } from '../../readModel/createReadModel.ts'
import { keepMade } from '../../readModel/keepMade.ts'
import { listHosts, listSummaries } from '../../readModel/listHosts.ts'
import { readRecord } from '../../readModel/readRecord.ts'
import { readTally } from '../../readModel/readTally.ts'
import type { Answers } from '../deps.ts'
import { createSnapshotMaker } from './createSnapshotMaker.ts'
import { describeContents } from './describeContents.ts'
import { type WriteDeps, writeDataFull, writeTrustDataset } from './writeDatasets.ts'
import { writeList } from './writeList.ts'

export type DatasetAnswerDeps = {
  readonly store: WriteDeps['store'] & CatalogDeps['store'] & Pick<Store, 'changes'>
  readonly readModel: Pick<ReadModel, 'revision'>
  readonly snapshots: Pick<Snapshots, 'write'>
  readonly mcpAudits: Pick<McpAudits, 'all'>
  readonly clock: Pick<Clock, 'now'>
  readonly publicUrl: string
  /** Running prices in dollars as decimal strings. */
  readonly prices: Readonly<Record<PaidOperationId, string>>
}

/** The operations that sell datasets. */
const DATASETS = SNAPSHOT_OPERATIONS.filter((id) => id !== 'trust')
/** Number of free sample records. */
const SAMPLES = 3
const FORMAT = 'application/json'

/** Handlers of the datasets, the catalog, and the preview in `/status.json`. */
export type DatasetAnswers = Pick<Answers, 'trustDataset' | 'dataFull' | 'data'> & {
  /** Writes the answer of `/trust` without an endpoint. */
  catalog(): Promise<Snapshot>
  /** @param liveServices number of services with a live endpoint */
  preview(liveServices: number): Promise<StatusFeed['dataset']>
}

/** Creates the handlers of `/trust/dataset`, `/data/full`, `/data.json` and the catalog. */
export function createDatasetAnswers(deps: DatasetAnswerDeps): DatasetAnswers {
  const { store, readModel, clock, publicUrl, prices } = deps
  const maker = createSnapshotMaker(deps.snapshots)
  const samples = async () => {
    const now = clock.now()
    const records = []
    for await (const host of listHosts(store, { order: 'best', isWorking: true, limit: SAMPLES }, now)) {
      const record = await readRecord(store, host, now)
      if (record !== undefined) records.push(record)
    }
    return records
  }

  const describeData = async (): Promise<DataPreview> => ({
    asOf: toTimestamp(clock.now()),
    datasets: DATASETS.map((id) => describeOffer(id, publicUrl, prices[id])),
    schema: { ...SCHEMAS.service },
    schemas: { ...SCHEMAS.others },
    ...(await describeContents(deps, SAMPLES)),
    samples: await samples(),
  })
  const data = keepMade({ readModel, clock, make: describeData, restMs: MINUTE })

  return {
    trustDataset: (query) =>
      maker.make(`trust ${query.all} ${query.limit}`, () => writeTrustDataset(deps, query)),
    dataFull: (query) => maker.make(`full ${query.all} ${query.limit}`, () => writeDataFull(deps, query)),
    data: async () => {
      const body = await data.get()
      return { body, isCurrent: () => data.peek() === body }
    },
    catalog: () => maker.make('catalog', () => writeCatalog(deps)),
    preview: async (liveServices) => ({
      priceUsd: Number(prices.trustDataset),
      endpoint: `${publicUrl}${OPERATIONS.trustDataset.path}`,
      liveServices,
      format: FORMAT,
      preview: await samples(),
    }),
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

export type CatalogDeps = {
  readonly store: Pick<Store, 'hosts' | 'summary' | 'totals'>
  readonly clock: Pick<Clock, 'now'>
}

/** Verdicts of the services in the catalog, best first. */
const VERDICTS = ['safe', 'caution'] as const

/** Writes the catalog: working services except those to avoid, best first, and the risk map of all endpoints. */
export async function* writeCatalog({ store, clock }: CatalogDeps): AsyncGenerator<string> {
  const now = clock.now()
  async function* profiles() {
    for (const verdict of VERDICTS) {
      for await (const summary of listSummaries(store, { order: 'best', verdict, isWorking: true }, now)) {
        const profile = describeProfile(summary, now)
        // It may have changed since the index was read.
        if (profile.verdict === verdict) yield profile
      }
    }
  }
  yield `{"asOf":${JSON.stringify(toTimestamp(now))},"services":[`
  yield* writeList(profiles(), (profile) => JSON.stringify(profile), createBreathe())
  yield `],"riskMap":${JSON.stringify((await readTally(store, now)).risks)}}`
}
