import type { McpConfig, McpDirectoryConfig } from '../config/mcpSettings.ts'
import { type McpAuditDeps, type McpRound, repeatMcpAudits } from '../mcp/auditMcpServers.ts'
import { createMcpFileDirectory } from '../mcp/createMcpFileDirectory.ts'
import { createMcpRegistryDirectory } from '../mcp/createMcpRegistryDirectory.ts'
import { createPackageSource } from '../mcp/createPackageSource.ts'
import type { McpDirectory } from '../mcp/ports.ts'
import { readMachineRegistry } from '../mcp/readMachineRegistry.ts'

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
