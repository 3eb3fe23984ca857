import type { McpListing, PackageFacts } from '../facts/mcpFacts.ts'
import { DAY, HOUR } from '../facts/times.ts'
import type { Clock } from '../lib/clock.ts'
import { repeat } from '../lib/repeat.ts'
import type { Prober } from '../probe/prober.ts'
import { readAudit } from '../store/documents.ts'
import type { Store } from '../store/store.ts'
import { auditMcpServer, checkRepository, repositoryOf } from './audit.ts'
import type { PackageSource } from './createPackageSource.ts'
import type { McpDirectory } from './mcpDirectory.ts'

export type McpAuditDeps = {
  readonly directories: readonly McpDirectory[]
  readonly packages: PackageSource
  readonly audits: Store
  readonly clock: Clock
  /** Checks source repositories. */
  readonly prober: Pick<Prober, 'probe'>
  readonly onError?: (directory: string, error: unknown) => void
}

/** Minimum age of an audit before it is repeated: less than a day, since a server's turn in the round varies by minutes. */
const LEAST_AGE_MS = 20 * HOUR

/** Counts of one round through the MCP directories. */
export type McpRound = { readonly listed: number; readonly rejected: number; readonly audited: number }

/** Reads all MCP directories and audits the servers that are due, one at a time. */
export async function auditMcpServers(deps: McpAuditDeps, signal?: AbortSignal): Promise<McpRound> {
  const round = { listed: 0, rejected: 0, audited: 0 }
  // If several directories list a server, the first one counts.
  const seen = new Set<string>()
  for (const directory of deps.directories) {
    try {
      for await (const page of directory.pages(signal)) {
        round.rejected += page.rejected
        for (const listing of page.servers) {
          signal?.throwIfAborted()
          if (seen.has(listing.name)) continue
          seen.add(listing.name)
          round.listed++
          if (await auditOne(deps, listing, signal)) round.audited++
        }
      }
    } catch (error) {
      if (signal?.aborted === true) throw error
      deps.onError?.(directory.name, error)
    }
  }
  return round
}

/** Runs one round a day until the signal fires. An error ends only its round. */
export async function repeatMcpAudits(
  deps: McpAuditDeps & { readonly onRound?: (round: McpRound) => void },
  signal: AbortSignal,
): Promise<void> {
  const round = () =>
    auditMcpServers(deps, signal).then(deps.onRound, (error: unknown) => {
      if (!signal.aborted) deps.onError?.('audits', error)
    })
  await repeat(deps.clock, round, () => DAY, signal)
}

/** Audits a server if it is due. Returns whether it did. */
async function auditOne(deps: McpAuditDeps, listing: McpListing, signal?: AbortSignal): Promise<boolean> {
  const { clock, audits } = deps
  const before = await readAudit(audits, listing.name)
  if (before !== undefined && clock.now() - before.auditedAt < LEAST_AGE_MS) return false
  const packages: PackageFacts[] = []
  for (const { name, version } of listing.packages)
    packages.push(await deps.packages.read(name, version, signal))
  // An aborted read must not look like a registry outage.
  signal?.throwIfAborted()
  const repositoryStatus = await checkRepository(deps.prober, repositoryOf(listing, packages), signal)
  await audits.write(
    'putAudit',
    auditMcpServer({ listing, packages, repositoryStatus, before, now: clock.now() }),
  )
  return true
}
