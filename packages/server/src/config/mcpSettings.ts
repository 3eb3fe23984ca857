import { z } from 'zod'

/** Where MCP servers are listed. */
export type McpDirectoryConfig = { kind: 'registry' | 'file'; name: string; location: string }

/** How MCP servers are audited. */
export type McpConfig = {
  directories: readonly McpDirectoryConfig[]
  /** The npm registry to ask; null is the one that the machine's npm is configured for. */
  npmRegistry: string | null
  /** Where weekly downloads are counted; null: they are not asked for. */
  downloadsUrl: string | null
}

const directories = z
  .string()
  .default('')
  .transform((text, context): McpDirectoryConfig[] =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .flatMap((item) => {
        const [, kind, name, location] = /^(registry|file)(?::([a-z0-9-]{1,32}))?=(\S+)$/.exec(item) ?? []
        const isRight = location !== undefined && (kind === 'file' || /^https?:\/\/./i.test(location))
        if (isRight && (kind === 'registry' || kind === 'file'))
          return [{ kind, name: name ?? `mcp-${kind}`, location }]
        context.addIssue({ code: 'custom', message: `"${item}" must be registry=URL or file=PATH` })
        return []
      }),
  )

const url = (what: string) =>
  z.url({ protocol: /^https?$/, error: `must be an http or https URL: ${what}` }).optional()

/** The settings of the audit of MCP servers, by name. */
export const mcpSettings = {
  MCP_DIRECTORIES: directories,
  NPM_REGISTRY: url('the registry that packages of MCP servers are read from'),
  NPM_DOWNLOADS_URL: url('where weekly downloads of packages are counted'),
}

/** The part of the configuration about MCP servers; null where none are audited. */
export function readMcp(settings: z.infer<z.ZodObject<typeof mcpSettings>>): McpConfig | null {
  if (settings.MCP_DIRECTORIES.length === 0) return null
  return {
    directories: settings.MCP_DIRECTORIES,
    npmRegistry: settings.NPM_REGISTRY ?? null,
    downloadsUrl: settings.NPM_DOWNLOADS_URL ?? null,
  }
}
