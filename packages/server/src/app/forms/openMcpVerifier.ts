import { createPackageSource, type PackageSource } from '../../mcp/createPackageSource.ts'
import { readMachineRegistry } from '../../mcp/readMachineRegistry.ts'
import { createMcpVerifier, type McpVerifier } from '../../mcp/verify/createMcpVerifier.ts'
import type { Audit } from '../openAudit.ts'
import type { Storage } from '../openStorage.ts'
import type { Scope } from '../scope.ts'

/** Timeout of a document in ms; two of them and the repository fit the time limit of a page. */
const TIMEOUT_MS = 3_000

/** Opens the source of packages that the configuration names, or this machine's npm. */
export async function openPackages(
  { config: { npm, contact } }: Scope,
  timing: { readonly timeoutMs?: number; readonly retries?: number } = {},
): Promise<PackageSource> {
  return createPackageSource({
    registry: npm.registry ?? (await readMachineRegistry()),
    contact,
    ...(npm.downloadsUrl !== null && { downloadsUrl: npm.downloadsUrl }),
    ...timing,
  })
}

/** Opens the audits of single packages. */
export function openMcpVerifier(scope: Scope, { store, mcpAudits }: Storage, { prober }: Audit): McpVerifier {
  // Reading npm's configuration takes a second, which only the first call needs.
  let opened: Promise<PackageSource> | undefined
  const packages: PackageSource = {
    async read(...asked) {
      opened ??= openPackages(scope, { timeoutMs: TIMEOUT_MS, retries: 0 })
      return (await opened).read(...asked)
    },
  }
  return createMcpVerifier({
    packages,
    prober,
    documents: store.expiring,
    audits: mcpAudits,
    clock: scope.clock,
  })
}
