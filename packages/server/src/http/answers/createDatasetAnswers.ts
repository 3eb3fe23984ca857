import {
  type DataPreview,
  DatasetRecordSchema,
  OPERATIONS,
  type PaidOperationId,
  SNAPSHOT_OPERATIONS,
  type StatusFeed,
} from '@touchstone402/shared'
import * as z from 'zod/mini'
import { MINUTE, toDate, toTimestamp } from '../../domain/facts/times.ts'
import { describeRecord, rankServices } from '../../domain/publish/dataset.ts'
import { currentVerdict } from '../../domain/publish/verdict.ts'
import type { McpAudits } from '../../mcp/ports.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/oldStore.ts'
import type { Snapshots } from '../../ports/snapshots.ts'
import { createBreathe } from '../../readModel/createBreathe.ts'
import type { ReadModel } from '../../readModel/createReadModel.ts'
import { keepMade } from '../../readModel/keepMade.ts'
import type { Answers } from '../deps.ts'
import { createSnapshotMaker } from './createSnapshotMaker.ts'
import { writeDataFull, writeTrustDataset } from './writeDatasets.ts'

export type DatasetAnswerDeps = {
  readonly store: Pick<Store, 'receivers' | 'incidents' | 'changes'>
  readonly readModel: Pick<ReadModel, 'hosts' | 'sharedBy' | 'revision'>
  readonly snapshots: Pick<Snapshots, 'write'>
  readonly mcpAudits: Pick<McpAudits, 'all'>
  readonly clock: Pick<Clock, 'now'>
  readonly publicUrl: string
  /** Running prices in dollars as decimal strings. */
  readonly prices: Readonly<Record<PaidOperationId, string>>
}

/** Number of free sample records. */
const SAMPLES = 3
const FORMAT = 'application/json'

/** Handlers of the datasets, and the preview in `/status.json`. */
export type DatasetAnswers = Pick<Answers, 'trustDataset' | 'dataFull' | 'data'> & {
  preview(): Promise<StatusFeed['dataset']>
}

/** Creates the handlers of `/trust/dataset`, `/data/full` and `/data.json`. */
export function createDatasetAnswers(deps: DatasetAnswerDeps): DatasetAnswers {
  const { store, readModel, clock, publicUrl, prices } = deps
  const maker = createSnapshotMaker(deps.snapshots)
  const samples = async () => {
    const now = clock.now()
    const query = { all: false, limit: SAMPLES }
    const { services, total } = await rankServices(readModel.hosts(), query, now, createBreathe())
    const receivers = await store.receivers()
    const records = services.map((host) => describeRecord(host, receivers, readModel.sharedBy, now))
    return { records, total }
  }

  const describeData = async (): Promise<DataPreview> => {
    const { records, total } = await samples()
    return {
      asOf: toTimestamp(clock.now()),
      datasets: SNAPSHOT_OPERATIONS.map((id) => describeOffer(id, publicUrl, prices[id])),
      schema: { ...RECORD_SCHEMA },
      coverage: await describeCoverage(deps, total),
      samples: records,
    }
  }
  const data = keepMade({ readModel, clock, make: describeData, restMs: MINUTE })

  return {
    trustDataset: (query) =>
      maker.make(`trust ${query.all} ${query.limit}`, () => writeTrustDataset(deps, query)),
    dataFull: (query) => maker.make(`full ${query.all} ${query.limit}`, () => writeDataFull(deps, query)),
    data: async () => {
      const body = await data.get()
      return { body, isCurrent: () => data.peek() === body }
    },
    preview: async () => {
      const { records, total } = await samples()
      return {
        priceUsd: Number(prices.trustDataset),
        endpoint: `${publicUrl}${OPERATIONS.trustDataset.path}`,
        liveServices: total,
        format: FORMAT,
        preview: records,
      }
    },
  }
}

const RECORD_SCHEMA = z.toJSONSchema(DatasetRecordSchema, { io: 'input' })

function describeOffer(
  id: (typeof SNAPSHOT_OPERATIONS)[number],
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

async function describeCoverage(
  { store, readModel, clock }: DatasetAnswerDeps,
  liveServices: number,
): Promise<DataPreview['coverage']> {
  const now = clock.now()
  const hosts = readModel.hosts()
  const breathe = createBreathe()
  const directories = new Set<string>()
  let endpoints = 0
  let liveEndpoints = 0
  let firstSeen = Number.POSITIVE_INFINITY
  for (const host of hosts) {
    const pause = breathe()
    if (pause !== undefined) await pause
    for (const endpoint of host.endpoints) {
      endpoints++
      if (currentVerdict(endpoint, now).status === 'live') liveEndpoints++
      for (const directory of endpoint.listedBy) directories.add(directory)
      firstSeen = Math.min(firstSeen, endpoint.firstSeen)
    }
  }
  const everything = { since: 0, limit: Number.MAX_SAFE_INTEGER }
  const incidents = await store.incidents(everything)
  const changes = await store.changes({ since: 0, limit: 1 })
  return {
    services: hosts.length,
    liveServices,
    endpoints,
    liveEndpoints,
    receivers: (await store.receivers()).size,
    directories: [...directories].sort(),
    incidents: incidents.total,
    incidentsOpen: incidents.records.filter(({ status }) => status === 'open').length,
    changes: changes.total,
    firstSeen: Number.isFinite(firstSeen) ? toDate(firstSeen) : null,
  }
}
