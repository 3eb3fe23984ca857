import type { McpAudit, McpListing } from '../facts/mcpFacts.ts'

/** One page of an MCP directory, with the number of malformed rows. */
export type McpPage = { readonly servers: readonly McpListing[]; readonly rejected: number }

/** A directory of MCP servers. */
export type McpDirectory = {
  readonly name: string
  /** Yields all pages. Throws if a page cannot be read; earlier pages stay valid. */
  pages(signal?: AbortSignal): AsyncIterable<McpPage>
}

/** Stores the last audit of each server. */
export type McpAudits = {
  get(name: string): Promise<McpAudit | undefined>
  /** Resolves when the audit is durable. */
  put(audit: McpAudit): Promise<void>
  all(): AsyncIterable<McpAudit>
}
