import type { McpAudit, McpListing, PackageFacts } from './facts.ts'

export type { McpAudit, McpListing } from './facts.ts'

/** What one page of an MCP directory held; a row that could not be read is counted, and loses nothing else. */
export type McpPage = { readonly servers: readonly McpListing[]; readonly rejected: number }

/** A place that lists MCP servers. */
export type McpDirectory = {
  readonly name: string
  /** Every page to the end. Rejects when a page cannot be had; pages before it stay valid. */
  pages(signal?: AbortSignal): AsyncIterable<McpPage>
}

/** A package registry. Never rejects: what it could not be asked is `not_measured`. */
export type PackageSource = {
  /** @param version the one that a listing names, to see whether it is there */
  read(name: string, version: string | null, signal?: AbortSignal): Promise<PackageFacts>
}

/** Where audits are kept, the last one of each server. */
export type McpAudits = {
  get(name: string): Promise<McpAudit | undefined>
  /** Resolves when the audit is durable. */
  put(audit: McpAudit): Promise<void>
  all(): AsyncIterable<McpAudit>
}
