import { DAY } from '../domain/facts/times.ts'
import type { Clock } from '../ports/clock.ts'
import type { Prober } from '../ports/prober.ts'
import { auditMcpServer } from './audit.ts'
import type { McpListing, PackageFacts, RepositoryStatus } from './facts.ts'
import type { McpAudits, McpDirectory, PackageSource } from './ports.ts'

export type McpAuditDeps = {
  readonly directories: readonly McpDirectory[]
  readonly packages: PackageSource
  readonly audits: McpAudits
  readonly clock: Clock
  /** Looks whether a server's source is still there; through the address guard, since anybody may list an address. */
  readonly prober: Pick<Prober, 'probe'>
  /** An audit younger than this is not made anew, ms. @default 24 h */
  readonly everyMs?: number
  readonly onError?: (directory: string, error: unknown) => void
}

/** What a round through the MCP directories brought. */
export type McpRound = { readonly listed: number; readonly rejected: number; readonly audited: number }

/** Reads every MCP directory to the end and audits what is due, one server at a time. */
export async function auditMcpServers(deps: McpAuditDeps, signal?: AbortSignal): Promise<McpRound> {
  const round = { listed: 0, rejected: 0, audited: 0 }
  // A server may be in several directories; the first one that lists it counts.
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

/** Makes a round a day until the signal fires. A fault ends its round, not the rounds. */
export async function repeatMcpAudits(
  deps: McpAuditDeps & { readonly onRound?: (round: McpRound) => void },
  signal: AbortSignal,
): Promise<void> {
  // A server's turn comes a little sooner or later each day; it must not be skipped for being minutes too young.
  const daily = { everyMs: (DAY / 24) * 20, ...deps }
  while (!signal.aborted) {
    const release = deps.clock.hold()
    try {
      deps.onRound?.(await auditMcpServers(daily, signal))
    } catch (error) {
      if (!signal.aborted) deps.onError?.('audits', error)
    } finally {
      release()
    }
    await deps.clock.sleep(DAY, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
}

/** Whether an audit was due and made. */
async function auditOne(deps: McpAuditDeps, listing: McpListing, signal?: AbortSignal): Promise<boolean> {
  const { clock, audits, everyMs = DAY } = deps
  const before = await audits.get(listing.name)
  if (before !== undefined && clock.now() - before.auditedAt < everyMs) return false
  const packages: PackageFacts[] = []
  for (const { name, version } of listing.packages)
    packages.push(await deps.packages.read(name, version, signal))
  // What was called off measured nothing, and must not look like a registry that is down.
  signal?.throwIfAborted()
  const repository =
    listing.repository ?? packages.find((facts) => facts.repository !== null)?.repository ?? null
  const repositoryStatus = repository === null ? 'unknown' : await lookAtRepository(deps, repository, signal)
  await audits.put(auditMcpServer({ listing, packages, repositoryStatus, before, now: clock.now() }))
  return true
}

async function lookAtRepository(
  deps: McpAuditDeps,
  url: string,
  signal?: AbortSignal,
): Promise<RepositoryStatus> {
  const target = { url, method: 'GET', body: null, declaresInput: true, client: 0 }
  const { httpStatus } = await deps.prober.probe(target, signal)
  if (httpStatus === 404 || httpStatus === 410) return 'gone'
  return httpStatus !== null && httpStatus < 400 ? 'present' : 'unknown'
}
