import type { McpConfig } from '../config/config.ts'
import { DIRECTORY_PACE } from '../lib/readJson.ts'
import { type McpRound, repeatMcpAudits } from '../mcp/auditMcpServers.ts'
import { createMcpFileDirectory } from '../mcp/createMcpFileDirectory.ts'
import { createMcpRegistryDirectory } from '../mcp/createMcpRegistryDirectory.ts'
import {
  createPackageSource,
  type PackageSource,
  type PackageSourceOptions,
  readMachineRegistry,
} from '../mcp/createPackageSource.ts'
import { createMcpVerifier, type McpVerifier } from '../mcp/verify/createMcpVerifier.ts'
import type { Store } from '../store/store.ts'
import type { Audit } from './audit.ts'
import type { Scope } from './scope.ts'

type Timing = Pick<PackageSourceOptions, 'timeoutMs' | 'retries'>

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
export function openMcpVerifier(scope: Scope, store: Store, { prober }: Audit): McpVerifier {
  // Reading npm's configuration takes a second, which only the first call needs.
  let opened: Promise<PackageSource> | undefined
  const packages: PackageSource = {
    async read(...asked) {
      opened ??= openPackages(scope, PAGE_TIMING)
      return (await opened).read(...asked)
    },
  }
  return createMcpVerifier({ packages, prober, documents: store, audits: store, clock: scope.clock })
}

/** Opens the daily audits of the MCP servers in the directories. */
export async function openMcpAudits(
  scope: Scope,
  store: Store,
  { prober }: Audit,
  settings: McpConfig,
): Promise<(signal: AbortSignal) => Promise<void>> {
  const { config, clock, log, warn } = scope
  const { contact } = config.operator
  const deps = {
    directories: settings.directories.map(({ kind, name, location }) =>
      kind === 'file'
        ? createMcpFileDirectory({ name, path: location })
        : createMcpRegistryDirectory({ name, url: location, contact, pace: DIRECTORY_PACE }),
    ),
    packages: await openPackages(scope, DAILY_TIMING),
    audits: store,
    clock,
    prober,
    onRound: ({ listed, rejected, audited }: McpRound) =>
      log('info', `MCP servers: ${listed} listed, ${rejected} rejected, ${audited} audited`, {
        event: 'mcp_round',
        listed,
        rejected,
        audited,
      }),
    onError: (directory: string, error: unknown) => warn('MCP directory', directory)(error),
  }
  return (signal) => repeatMcpAudits(deps, signal)
}

/** Opens the source of packages that the configuration names, or this machine's npm. */
async function openPackages(
  { config: { npm, operator }, documents }: Scope,
  timing: Timing,
): Promise<PackageSource> {
  const registry = npm.registry ?? (await readMachineRegistry())
  const downloadsUrl = npm.downloadsUrl ?? undefined
  return createPackageSource({
    registry,
    contact: operator.contact,
    downloadsUrl,
    parse: documents.packument,
    ...timing,
  })
}
