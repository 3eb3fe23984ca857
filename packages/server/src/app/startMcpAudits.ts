import type { McpConfig } from '../config/mcpSettings.ts'
import { repeatMcpAudits } from '../mcp/auditMcpServers.ts'
import { createMcpFileDirectory } from '../mcp/createMcpFileDirectory.ts'
import { createMcpRegistryDirectory } from '../mcp/createMcpRegistryDirectory.ts'
import { openPackages } from './forms/openMcpVerifier.ts'
import type { Scope } from './scope.ts'
import type { WorkDeps } from './workDeps.ts'

/** Starts the daily audits of MCP servers. Returns a function that stops them. */
export async function startMcpAudits(
  scope: Scope,
  { storage, audit }: WorkDeps,
  settings: McpConfig,
): Promise<() => Promise<void>> {
  const { contact } = scope.config
  const packages = await openPackages(scope)
  const directories = settings.directories.map(({ kind, name, location }) =>
    kind === 'file'
      ? createMcpFileDirectory({ name, path: location })
      : createMcpRegistryDirectory({ name, url: location, contact }),
  )
  const ending = new AbortController()
  const rounds = repeatMcpAudits(
    {
      directories,
      packages,
      audits: storage.mcpAudits,
      clock: scope.clock,
      prober: audit.prober,
      onRound: ({ listed, rejected, audited }) =>
        scope.log('info', `MCP servers: ${listed} listed, ${rejected} rejected, ${audited} audited`),
      onError: (directory, error) => scope.warn(`MCP directory ${directory}`)(error),
    },
    ending.signal,
  )
  return async () => {
    ending.abort()
    await rounds
  }
}
