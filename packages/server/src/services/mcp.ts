import type { McpConfig } from '../config/config.ts'
import type { Context } from '../context.ts'
import { DIRECTORY_PACE } from '../lib/readJson.ts'
import { repeatMcpAudits } from '../mcp/auditMcpServers.ts'
import { createMcpFileDirectory } from '../mcp/createMcpFileDirectory.ts'
import { createMcpRegistryDirectory } from '../mcp/createMcpRegistryDirectory.ts'
import { createMcpVerifier, type McpVerifier } from '../mcp/createMcpVerifier.ts'
import { type PackageRegistry, readMachineRegistry } from '../mcp/readPackage.ts'
import type { Audit } from './audit.ts'
import type { Scope } from './scope.ts'

type Timing = Pick<PackageRegistry, 'timeoutMs' | 'retries'>

/** Two documents and the repository fit the time limit of a page. */
const PAGE_TIMING: Timing = {
  timeoutMs: 3_000,
  retries: 0,
}
const DAILY_TIMING: Timing = {
  timeoutMs: 20_000,
  retries: 2,
}

/** Opens the public audits of single packages. */
export function openMcpVerifier(scope: Scope, ctx: Context, { prober }: Audit): McpVerifier {
  // Reading npm's configuration takes a second, which only the first call needs.
  let found: Promise<PackageRegistry> | undefined
  const registry = () => {
    found ??= findRegistry(scope, ctx, PAGE_TIMING)
    return found
  }
  return createMcpVerifier(ctx, { registry, prober })
}

/** Opens the daily audits of the MCP servers in the directories. */
export async function openMcpAudits(
  scope: Scope,
  ctx: Context,
  { prober }: Audit,
  settings: McpConfig,
): Promise<(signal: AbortSignal) => Promise<void>> {
  const { contact } = ctx.config.operator
  const directories = settings.directories.map(({ kind, name, location }) =>
    kind === 'file'
      ? createMcpFileDirectory({ name, path: location })
      : createMcpRegistryDirectory({ name, url: location, contact, pace: DIRECTORY_PACE }),
  )
  const registry = await findRegistry(scope, ctx, DAILY_TIMING)
  return (signal) => repeatMcpAudits(ctx, { directories, registry, prober }, signal)
}

/** Returns the registry that the configuration names, or that of this machine's npm. */
async function findRegistry(
  { documents }: Scope,
  { config: { npm, operator } }: Context,
  timing: Timing,
): Promise<PackageRegistry> {
  return {
    url: npm.registry ?? (await readMachineRegistry()),
    contact: operator.contact,
    downloadsUrl: npm.downloadsUrl ?? undefined,
    parse: documents.packument,
    ...timing,
  }
}
