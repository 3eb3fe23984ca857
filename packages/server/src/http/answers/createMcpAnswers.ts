import type { McpDriftFeed, McpServer } from '@touchstone402/shared'
import type { Context } from '../../context.ts'
import { DAY, MINUTE, toTimestamp } from '../../facts/times.ts'
import { describeAudit } from '../../mcp/describe.ts'
import type { ReadModel } from '../../readModel/createReadModel.ts'
import { keepMade } from '../../readModel/keepMade.ts'
import { listAudits } from '../../store/documents.ts'
import type { Answers } from '../deps.ts'
import { answerKept } from './createDatasetAnswers.ts'

const DELTA_DAYS = 7
/** Maximum number of risky servers in a report. */
const RISKY = 10
/** Maximum number of changes in an answer. */
const MAX_EVENTS = 1000

/** Creates the handlers of `/mcp-report.json` and `/mcp/drift.json`, which read the audits at most once a minute. */
export function createMcpAnswers(
  ctx: Pick<Context, 'clock' | 'store'>,
  readModel: Pick<ReadModel, 'revision'>,
): Pick<Answers, 'mcpReport' | 'mcpDrift'> {
  const { clock } = ctx
  const audits = keepMade({ readModel, clock, make: () => readAudits(ctx), restMs: MINUTE })
  return {
    mcpReport: () =>
      answerKept(audits, ({ asOf, byVerdict, risky, eventsSince }) => {
        const recent = eventsSince(DELTA_DAYS)
        const kinds = new Map<string, number>()
        for (const { kind } of recent) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
        const audited = Object.values(byVerdict).reduce((sum, count) => sum + count, 0)
        const deltas = { days: DELTA_DAYS, count: recent.length, byKind: Object.fromEntries(kinds) }
        return { asOf, current: { audited, byVerdict }, deltas, live: { riskySample: risky } }
      }),
    mcpDrift: ({ days, packages }) =>
      answerKept(audits, ({ asOf, eventsSince }) => {
        const asked = packages === undefined ? undefined : new Set(packages.split(','))
        const found = eventsSince(days).filter((event) => asked?.has(event.package) ?? true)
        const events = found.slice(0, MAX_EVENTS)
        const [count, total] = [events.length, found.length]
        return { asOf, days, count, total, truncated: count < total, events }
      }),
  }
}

/** Reads verdicts, the worst servers, and changes, newest first. Servers that share a package found the same change. */
async function readAudits({ store, clock }: Pick<Context, 'clock' | 'store'>) {
  const now = clock.now()
  const byVerdict = { safe: 0, caution: 0, avoid: 0, unknown: 0 }
  const worst: Record<'avoid' | 'caution', McpServer[]> = { avoid: [], caution: [] }
  const changes = new Map<string, McpDriftFeed['events'][number]>()
  for await (const audit of listAudits(store)) {
    const server = describeAudit(audit, now)
    const { verdict, drift, packages } = server
    byVerdict[verdict]++
    if ((verdict === 'avoid' || verdict === 'caution') && worst[verdict].length < RISKY)
      worst[verdict].push(server)
    for (const { code: kind, package: name, before, after, at } of drift) {
      const key = JSON.stringify([kind, name, before, after])
      const known = changes.get(key)
      if (known !== undefined && known.at <= at) continue
      const version = packages.find((one) => one.name === name)?.version ?? null
      changes.set(key, { kind, package: name, version, before, after, at })
    }
  }
  const events = [...changes.values()].sort((a, b) => (a.at < b.at ? 1 : -1))
  return {
    asOf: toTimestamp(now),
    byVerdict,
    risky: [...worst.avoid, ...worst.caution].slice(0, RISKY),
    eventsSince: (days: number) => events.filter(({ at }) => at >= toTimestamp(now - days * DAY)),
  }
}
