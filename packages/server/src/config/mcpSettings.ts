import type { z } from 'zod'
import { optionalList, optionalUrl, type SourceConfig, toSources } from './settingKinds.ts'

/** A directory of MCP servers. */
export type McpDirectoryConfig = SourceConfig<'registry' | 'file'>

/** Configuration of the MCP audits. */
export type McpConfig = { directories: readonly McpDirectoryConfig[] }

/** Configuration of the npm registry. */
export type NpmConfig = {
  /** URL of the registry; null for the one this machine's npm is configured for. */
  registry: string | null
  /** URL of weekly download counts; null to skip them. */
  downloadsUrl: string | null
}

/** Settings of the MCP audits, by name. */
export const mcpSettings = {
  MCP_DIRECTORIES: optionalList().transform(toSources(['registry', 'file'], (kind) => `mcp-${kind}`)),
  NPM_REGISTRY: optionalUrl('the registry with the packages of MCP servers'),
  NPM_DOWNLOADS_URL: optionalUrl('the source of weekly download counts'),
}

/** Returns the MCP part of the configuration, null if no servers are audited. */
export function readMcp(settings: z.infer<z.ZodObject<typeof mcpSettings>>): McpConfig | null {
  if (settings.MCP_DIRECTORIES.length === 0) return null
  return { directories: settings.MCP_DIRECTORIES }
}

/** Returns the npm part of the configuration. */
export function readNpm(settings: z.infer<z.ZodObject<typeof mcpSettings>>): NpmConfig {
  return { registry: settings.NPM_REGISTRY ?? null, downloadsUrl: settings.NPM_DOWNLOADS_URL ?? null }
}
