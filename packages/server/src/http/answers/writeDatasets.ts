import type { Status } from '@touchstone402/shared'
import type { HostDocument } from '../../domain/facts/hostDocument.ts'
import { toTimestamp } from '../../domain/facts/times.ts'
import { SCORE_VERSION } from '../../domain/judge/spec.ts'
import { describeRecord, rankServices, type ServiceQuery } from '../../domain/publish/dataset.ts'
import { countUp, describeEcosystem } from '../../domain/publish/ecosystem.ts'
import { currentVerdict } from '../../domain/publish/verdict.ts'
import { describeAudit } from '../../mcp/describe.ts'
import type { McpAudits } from '../../mcp/ports.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/oldStore.ts'
import { createBreathe } from '../../readModel/createBreathe.ts'
import type { ReadModel } from '../../readModel/createReadModel.ts'
import { writeList } from './writeList.ts'

export type WriteDeps = {
  readonly store: Pick<Store, 'receivers' | 'incidents'>
  readonly readModel: Pick<ReadModel, 'hosts' | 'sharedBy'>
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
  const { store, readModel, mcpAudits, clock } = deps
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
  const counts = new Map<Status, number>()
  for (const { endpoints } of readModel.hosts()) {
    const pause = breathe()
    if (pause !== undefined) await pause
    for (const endpoint of endpoints) countUp(counts, currentVerdict(endpoint, now).status)
  }
  yield `,"ecosystem":${JSON.stringify(describeEcosystem(counts))},"incidents":[`
  const { records } = await store.incidents({ since: 0, limit: Number.MAX_SAFE_INTEGER })
  const open = records.filter(({ status }) => status === 'open')
  yield* writeList(open, (incident) => JSON.stringify(incident), breathe)
  yield ']}'
}

/** Writes the services, in an object that is still open. */
async function* writeServices(
  { store, readModel, clock }: WriteDeps,
  query: ServiceQuery,
): AsyncGenerator<string> {
  const now = clock.now()
  const breathe = createBreathe()
  // The list may be replaced meanwhile; its state at the start is sold.
  const { services, total } = await rankServices([...readModel.hosts()], query, now, breathe)
  const receivers = await store.receivers()
  const count = services.length
  const head = {
    asOf: toTimestamp(now),
    ...query,
    count,
    total,
    truncated: count < total,
    scoreVersion: SCORE_VERSION,
  }
  yield `${JSON.stringify(head).slice(0, -1)},"services":[`
  const toJson = (service: HostDocument) =>
    JSON.stringify(describeRecord(service, receivers, readModel.sharedBy, now))
  yield* writeList(services, toJson, breathe)
  yield ']'
}
