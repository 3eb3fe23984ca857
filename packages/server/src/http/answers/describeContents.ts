import type { DataPreview, McpServer } from '@touchstone402/shared'
import { toDate } from '../../domain/facts/times.ts'
import { describeEcosystem } from '../../domain/publish/catalog.ts'
import { describeTally } from '../../domain/publish/tally.ts'
import { describeAudit } from '../../mcp/describe.ts'
import type { Store } from '../../ports/store.ts'
import type { WriteDeps } from './writeDatasets.ts'

export type ContentDeps = Pick<WriteDeps, 'mcpAudits' | 'clock'> & {
  readonly store: WriteDeps['store'] & Pick<Store, 'changes'>
}

type Contents = Pick<DataPreview, 'coverage' | 'mcpServers' | 'ecosystem' | 'incidents'>

/** Counts what the full data covers, and reads the first records of what it holds besides services. */
export async function describeContents(
  { store, mcpAudits, clock }: ContentDeps,
  samples: number,
): Promise<Contents> {
  const now = clock.now()
  const totals = await store.totals(now)
  const tally = describeTally(totals)
  const mcpServers: McpServer[] = []
  let mcpServerCount = 0
  for await (const audit of mcpAudits.all()) {
    mcpServerCount++
    if (mcpServers.length < samples) mcpServers.push(describeAudit(audit, now))
  }
  const open = await store.incidents({ since: 0, limit: samples, open: true })
  const query = { since: 0, limit: 0 }
  return {
    coverage: {
      services: tally.hosts,
      liveServices: tally.workingHosts,
      endpoints: [...tally.statuses.values()].reduce((sum, count) => sum + count, 0),
      liveEndpoints: tally.statuses.get('live') ?? 0,
      receivers: totals.receivers,
      directories: tally.directories.map(({ directory }) => directory),
      incidents: (await store.incidents(query)).total,
      incidentsOpen: open.total,
      changes: (await store.changes(query)).total,
      mcpServers: mcpServerCount,
      firstSeen: totals.firstSeen === null ? null : toDate(totals.firstSeen),
    },
    mcpServers,
    ecosystem: describeEcosystem(tally.statuses),
    incidents: [...open.records],
  }
}
