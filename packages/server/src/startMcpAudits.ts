import { createMcpFileDirectory } from './adapters/directory/createMcpFileDirectory.ts'
import { createMcpRegistryDirectory } from './adapters/directory/createMcpRegistryDirectory.ts'
import { createPackageSource } from './adapters/mcp/createPackageSource.ts'
import { readMachineRegistry } from './adapters/mcp/readMachineRegistry.ts'
import { type McpAuditDeps, type McpRound, repeatMcpAudits } from './jobs/auditMcpServers.ts'
import type { McpConfig, McpDirectoryConfig } from './mcpSettings.ts'
import type { McpDirectory } from './ports/mcp.ts'

export type McpAuditing = Omit<McpAuditDeps, 'directories' | 'packages'> & {
  readonly settings: McpConfig
  readonly contact: string
  readonly onRound: (round: McpRound) => void
}

/** Begins the daily rounds through the directories of MCP servers; resolves to the function that ends them. */
export async function startMcpAudits(options: McpAuditing): Promise<() => Promise<void>> {
  const { settings, contact, ...deps } = options
  const packages = createPackageSource({
    registry: settings.npmRegistry ?? (await readMachineRegistry()),
    contact,
    ...(settings.downloadsUrl !== null && { downloadsUrl: settings.downloadsUrl }),
  })
  const directories = settings.directories.map((directory) => open(directory, contact))
  const ending = new AbortController()
  const rounds = repeatMcpAudits({ ...deps, directories, packages }, ending.signal)
  return async () => {
    ending.abort()
    await rounds
  }
}

function open({ kind, name, location }: McpDirectoryConfig, contact: string): McpDirectory {
  return kind === 'file'
    ? createMcpFileDirectory({ name, path: location })
    : createMcpRegistryDirectory({ name, url: location, contact })
}
