import type { DatasetRecord } from '@touchstone402/shared'
import { toTimestamp } from '../../domain/facts/times.ts'
import { SCORE_VERSION } from '../../domain/judge/spec.ts'
import { describeEcosystem } from '../../domain/publish/catalog.ts'
import type { ServiceQuery } from '../../domain/publish/dataset.ts'
import { describeAudit } from '../../mcp/describe.ts'
import type { Clock } from '../../ports/clock.ts'
import type { McpAudits } from '../../ports/mcp.ts'
import type { Store } from '../../ports/store.ts'
import { createBreathe } from '../../readModel/createBreathe.ts'
import { rankServices } from '../../readModel/listHosts.ts'
import { readRecord } from '../../readModel/readRecord.ts'
import { readTally } from '../../readModel/readTally.ts'
import { writeList } from './writeList.ts'

export type WriteDeps = {
  readonly store: Pick<Store, 'hosts' | 'totals' | 'countPaid' | 'host' | 'receiver' | 'incidents'>
  readonly mcpAudits: Pick<McpAudits, 'all'>
  readonly clock: Pick<Clock, 'now'>
}

/** Writes the body of `/trust/dataset`. */
export async function* writeTrustDataset(deps: WriteDeps, query: ServiceQuery): AsyncGenerator<string> {
  yield* writeServices(deps, query)
  yield '}'
}

/** Writes the body of `/data/full`. */
export async function* writeDataFull(deps: WriteDeps, query: ServiceQuery): AsyncGenerator<string> {
  const { store, mcpAudits, clock } = deps
  const now = clock.now()
  const breathe = createBreathe()
  yield* writeServices(deps, query)
  let mcpServerCount = 0
  yield ',"mcpServers":['
  const toJson = (audit: Parameters<typeof describeAudit>[0]) => {
    mcpServerCount++
    return JSON.stringify(describeAudit(audit, now))
  }
  yield* writeList(mcpAudits.all(), toJson, breathe)
  yield `],"mcpServerCount":${mcpServerCount}`
  const { statuses } = await readTally(store, now)
  yield `,"ecosystem":${JSON.stringify(describeEcosystem(statuses))},"incidents":[`
  const { records } = await store.incidents({ since: 0, limit: Number.MAX_SAFE_INTEGER, open: true })
  yield* writeList(records, (incident) => JSON.stringify(incident), breathe)
  yield ']}'
}

/** Writes the services, in an object that is still open. */
async function* writeServices({ store, clock }: WriteDeps, query: ServiceQuery): AsyncGenerator<string> {
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
  yield* writeList(records(), (record) => JSON.stringify(record), createBreathe())
  yield ']'
}
