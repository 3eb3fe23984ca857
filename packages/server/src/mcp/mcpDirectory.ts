import type { McpListing } from '../facts/mcpFacts.ts'

/** One page of an MCP directory, with the number of malformed rows. */
export type McpPage = { readonly servers: readonly McpListing[]; readonly rejected: number }

/** A directory of MCP servers. */
export type McpDirectory = {
  readonly name: string
  /** Yields all pages. Throws if a page cannot be read; earlier pages stay valid. */
  pages(signal?: AbortSignal): AsyncIterable<McpPage>
}
