import type { DataSample, McpDriftFeed, McpReport, McpServer } from '@touchstone402/shared'
import { DAY, MINUTE, toTimestamp } from '../../domain/facts/times.ts'
import { describeEcosystem } from '../../domain/publish/catalog.ts'
import { describeAudit } from '../../mcp/describe.ts'
import type { ReadModel } from '../../readModel/createReadModel.ts'
import { type Kept, keepMade } from '../../readModel/keepMade.ts'
import { listHosts } from '../../readModel/listHosts.ts'
import { readRecord } from '../../readModel/readRecord.ts'
import { readTally } from '../../readModel/readTally.ts'
import type { Answers } from '../deps.ts'
import type { WriteDeps } from './writeDatasets.ts'

export type SampleAnswerDeps = WriteDeps & { readonly readModel: Pick<ReadModel, 'revision'> }

const DELTA_DAYS = 7
/** Maximum number of risky servers in a report. */
const RISKY = 10

/** Maximum number of changes in an answer. */
const MAX_EVENTS = 1000

/** Creates the handlers of `/data/sample`, `/mcp-report.json` and `/mcp/drift.json`. All are kept for a minute. */
export function createSampleAnswers(
  deps: SampleAnswerDeps,
): Pick<Answers, 'dataSample' | 'mcpReport' | 'mcpDrift'> {
  const { readModel, clock } = deps
  const sample = keepMade({ readModel, clock, make: () => readSample(deps), restMs: MINUTE })
  const report = keepMade({ readModel, clock, make: () => readReport(deps), restMs: MINUTE })
  const drift = keepMade({ readModel, clock, make: () => readDrift(deps), restMs: MINUTE })
  return {
    dataSample: () => answer(sample),
    mcpReport: () => answer(report),
    mcpDrift: async ({ days, packages }) => {
      const all = await drift.get()
      const now = clock.now()
      const since = toTimestamp(now - days * DAY)
      const asked = packages === undefined ? undefined : new Set(packages.split(','))
      const found = all.filter((event) => event.at >= since && (asked?.has(event.package) ?? true))
      const events = found.slice(0, MAX_EVENTS)
      const [count, total] = [events.length, found.length]
      const body = { asOf: toTimestamp(now), days, count, total, truncated: count < total, events }
      return { body, isCurrent: () => drift.peek() === all }
    },
  }
}

/** Reads the changes that audits remember, newest first. Servers that share a package found the same change. */
async function readDrift({ mcpAudits, clock }: SampleAnswerDeps): Promise<McpDriftFeed['events']> {
  const events = new Map<string, McpDriftFeed['events'][number]>()
  for await (const audit of mcpAudits.all()) {
    const { drift, packages } = describeAudit(audit, clock.now())
    for (const { code: kind, package: name, before, after, at } of drift) {
      const key = JSON.stringify([kind, name, before, after])
      const known = events.get(key)
      if (known !== undefined && known.at <= at) continue
      const version = packages.find((one) => one.name === name)?.version ?? null
      events.set(key, { kind, package: name, version, before, after, at })
    }
  }
  return [...events.values()].sort((a, b) => (a.at < b.at ? 1 : -1))
}

async function answer<T>(kept: Kept<T>) {
  const body = await kept.get()
  return { body, isCurrent: () => kept.peek() === body }
}

async function readSample({ store, mcpAudits, clock }: SampleAnswerDeps): Promise<DataSample> {
  const now = clock.now()
  let service: DataSample['service'] = null
  for await (const host of listHosts(store, { order: 'best', isWorking: true, limit: 1 }, now))
    service = (await readRecord(store, host, now)) ?? null
  let mcpServer: DataSample['mcpServer'] = null
  for await (const audit of mcpAudits.all()) {
    mcpServer = describeAudit(audit, now)
    break
  }
  const { records } = await store.incidents({ since: 0, limit: 1, open: true })
  const { statuses } = await readTally(store, now)
  const ecosystem = describeEcosystem(statuses)
  return { asOf: toTimestamp(now), service, mcpServer, incident: records[0] ?? null, ecosystem }
}

async function readReport({ mcpAudits, clock }: SampleAnswerDeps): Promise<McpReport> {
  const now = clock.now()
  const since = toTimestamp(now - DELTA_DAYS * DAY)
  const byVerdict = { safe: 0, caution: 0, avoid: 0, unknown: 0 }
  const kinds = new Map<string, number>()
  const risky: Record<'avoid' | 'caution', McpServer[]> = { avoid: [], caution: [] }
  let audited = 0
  for await (const audit of mcpAudits.all()) {
    const server = describeAudit(audit, now)
    const { verdict, drift } = server
    audited++
    byVerdict[verdict]++
    for (const { code, at } of drift) if (at >= since) kinds.set(code, (kinds.get(code) ?? 0) + 1)
    if ((verdict === 'avoid' || verdict === 'caution') && risky[verdict].length < RISKY)
      risky[verdict].push(server)
  }
  return {
    asOf: toTimestamp(now),
    current: { audited, byVerdict },
    deltas: {
      days: DELTA_DAYS,
      count: [...kinds.values()].reduce((sum, count) => sum + count, 0),
      byKind: Object.fromEntries(kinds),
    },
    live: { riskySample: [...risky.avoid, ...risky.caution].slice(0, RISKY) },
  }
}
