import type { Context } from '../context.ts'
import type { McpListing, PackageFacts } from '../facts/mcpFacts.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { logFailure } from '../lib/logFailure.ts'
import type { Prober } from '../lib/prober.ts'
import { repeat } from '../lib/repeat.ts'
import { readAudit } from '../store/documents.ts'
import { auditMcpServer, checkRepository, repositoryOf } from './audit.ts'
import type { McpDirectory } from './mcpDirectory.ts'
import { type PackageRegistry, readPackage } from './readPackage.ts'

/** Sources of the daily audits. */
export type McpSources = {
  readonly directories: readonly McpDirectory[]
  readonly registry: PackageRegistry
  /** Checks source repositories. */
  readonly prober: Pick<Prober, 'probe'>
}

type AuditingContext = Pick<Context, 'store' | 'clock' | 'log'>

/** Minimum age of an audit before it is repeated: less than a day, since a server's turn in the round varies by minutes. */
const LEAST_AGE_MS = 20 * HOUR

/** Part that failures are logged for. */
const DIRECTORY = 'MCP directory'

/** Counts of one round through the MCP directories. */
type McpRound = { readonly listed: number; readonly rejected: number; readonly audited: number }

/** Reads all MCP directories and audits the servers that are due, one at a time. */
export async function auditMcpServers(
  ctx: AuditingContext,
  sources: McpSources,
  signal: AbortSignal,
): Promise<McpRound> {
  const round = { listed: 0, rejected: 0, audited: 0 }
  // If several directories list a server, the first one counts.
  const seen = new Set<string>()
  for (const directory of sources.directories) {
    try {
      for await (const page of directory.pages(signal)) {
        round.rejected += page.rejected
        for (const listing of page.servers) {
          signal.throwIfAborted()
          if (seen.has(listing.name)) continue
          seen.add(listing.name)
          round.listed++
          if (await auditOne(ctx, sources, listing, signal)) round.audited++
        }
      }
    } catch (error) {
      if (signal.aborted) throw error
      logFailure(ctx.log, DIRECTORY, error, directory.name)
    }
  }
  return round
}

/** Runs one round a day until the signal fires. An error ends only its round. */
export async function repeatMcpAudits(
  ctx: AuditingContext,
  sources: McpSources,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = ctx
  const round = async () => {
    try {
      const { listed, rejected, audited } = await auditMcpServers(ctx, sources, signal)
      log('info', `MCP servers: ${listed} listed, ${rejected} rejected, ${audited} audited`, {
        event: 'mcp_round',
        listed,
        rejected,
        audited,
      })
    } catch (error) {
      if (!signal.aborted) logFailure(log, DIRECTORY, error, 'audits')
    }
  }
  await repeat(clock, round, () => DAY, signal)
}

/** Audits a server if it is due. Returns whether it did. */
async function auditOne(
  { store, clock }: AuditingContext,
  { registry, prober }: McpSources,
  listing: McpListing,
  signal: AbortSignal,
): Promise<boolean> {
  const before = await readAudit(store, listing.name)
  if (before !== undefined && clock.now() - before.auditedAt < LEAST_AGE_MS) return false
  const packages: PackageFacts[] = []
  for (const { name, version } of listing.packages)
    packages.push(await readPackage(registry, name, version, signal))
  // An aborted read must not look like a registry outage.
  signal.throwIfAborted()
  const repositoryStatus = await checkRepository(prober, repositoryOf(listing, packages), signal)
  await store.write(
    'putAudit',
    auditMcpServer({ listing, packages, repositoryStatus, before, now: clock.now() }),
  )
  return true
}
