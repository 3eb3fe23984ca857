import type { DatasetRecord } from '@touchstone402/shared'
import type { Context } from '../../context.ts'
import { toTimestamp } from '../../facts/times.ts'
import { SCORE_VERSION } from '../../judge/spec.ts'
import { type Breathe, createBreathe } from '../../lib/createBreathe.ts'
import { describeAudit } from '../../mcp/describe.ts'
import { describeEcosystem } from '../../publish/catalog.ts'
import type { ServiceQuery } from '../../publish/dataset.ts'
import { describeProfile } from '../../publish/profile.ts'
import { rankServices } from '../../readModel/rankServices.ts'
import { readRecord } from '../../readModel/readRecord.ts'
import { readTally } from '../../readModel/readTally.ts'
import { listAudits } from '../../store/documents.ts'
import { readIncidents } from '../../store/feeds.ts'
import { listSummaries } from '../../store/listHosts.ts'

type WriteContext = Pick<Context, 'clock' | 'store'>

/** Writes the body of `/trust/dataset`. */
export async function* writeTrustDataset(ctx: WriteContext, query: ServiceQuery): AsyncGenerator<string> {
  yield* writeServices(ctx, query)
  yield '}'
}

/** Writes the body of `/data/full`. */
export async function* writeDataFull(ctx: WriteContext, query: ServiceQuery): AsyncGenerator<string> {
  const { store, clock } = ctx
  const now = clock.now()
  const breathe = createBreathe()
  yield* writeServices(ctx, query)
  let mcpServerCount = 0
  async function* mcpServers() {
    for await (const audit of listAudits(store)) {
      mcpServerCount++
      yield describeAudit(audit, now)
    }
  }
  yield ',"mcpServers":['
  yield* writeList(mcpServers(), breathe)
  yield `],"mcpServerCount":${mcpServerCount}`
  const { statuses } = await readTally(store, now)
  yield `,"ecosystem":${JSON.stringify(describeEcosystem(statuses))},"incidents":[`
  const { records } = await readIncidents(store, { since: 0, limit: Number.MAX_SAFE_INTEGER, open: true })
  yield* writeList(records, breathe)
  yield ']}'
}

/** Writes the services, in an object that is still open. */
async function* writeServices({ store, clock }: WriteContext, query: ServiceQuery): AsyncGenerator<string> {
  const now = clock.now()
  const { hosts, total } = await rankServices(store, query, now)
  const count = hosts.length
  const head = {
    asOf: toTimestamp(now),
    ...query,
    count,
    total,
    truncated: count < total,
    scoreVersion: SCORE_VERSION,
  }
  async function* records(): AsyncGenerator<DatasetRecord> {
    for (const host of hosts) {
      const record = await readRecord(store, host, now)
      // The head has counted it.
      if (record === undefined) throw new Error(`the host ${host} is listed, but not known`)
      yield record
    }
  }
  yield `${JSON.stringify(head).slice(0, -1)},"services":[`
  yield* writeList(records(), createBreathe())
  yield ']'
}

/** Writes the catalog: working services except those to avoid, best first, and the risk map of all endpoints. */
export async function* writeCatalog({ store, clock }: WriteContext): AsyncGenerator<string> {
  const now = clock.now()
  async function* profiles() {
    for (const verdict of ['safe', 'caution'] as const) {
      for await (const summary of listSummaries(store, { order: 'best', verdict, isWorking: true }, now)) {
        const profile = describeProfile(summary, now)
        // It may have changed since the index was read.
        if (profile.verdict === verdict) yield profile
      }
    }
  }
  yield `{"asOf":${JSON.stringify(toTimestamp(now))},"services":[`
  yield* writeList(profiles(), createBreathe())
  yield `],"riskMap":${JSON.stringify((await readTally(store, now)).risks)}}`
}

/** Characters per chunk: a chunk for each record would cost more memory than the record. */
const BLOCK_CHARS = 64 * 1024

/** Writes the items of a JSON list, without its brackets. */
async function* writeList(
  items: Iterable<unknown> | AsyncIterable<unknown>,
  breathe: Breathe,
): AsyncGenerator<string> {
  let block = ''
  let separator = ''
  for await (const item of items) {
    block += separator + JSON.stringify(item)
    separator = ','
    const pause = breathe()
    if (pause !== undefined) await pause
    if (block.length < BLOCK_CHARS) continue
    yield block
    block = ''
  }
  yield block
}
