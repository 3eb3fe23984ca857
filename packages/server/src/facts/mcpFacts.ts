import type { McpServer } from '@touchstone402/shared'
import type { Time } from './facts.ts'

/** A directory's entry for an MCP server: a claim, not a measurement. */
export type McpListing = Readonly<
  Pick<McpServer, 'directory' | 'name' | 'title' | 'version' | 'repository'>
> & {
  readonly status: 'active' | 'deprecated' | 'deleted'
  /** npm packages with the listed version. */
  readonly packages: readonly { readonly name: string; readonly version: string | null }[]
  /** Whether other installs are listed that are not audited: another registry, or a remote endpoint. */
  readonly hasOther: boolean
}

/** A package registry's facts about one package. Null where the registry lacks them. */
export type PackageFacts = Readonly<Omit<McpServer['packages'][number], 'createdAt' | 'publishedAt'>> & {
  readonly createdAt: Time | null
  readonly publishedAt: Time | null
  /** Whether the registry replaced the package with a placeholder after malware. */
  readonly isSecurityHolder: boolean
  /** Whether maintainers or creation time are missing, as on mirrors. Such a package is never safe. */
  readonly isPartial: boolean
  /** Whether the listed version exists; null without a listed version. */
  readonly hasListedVersion: boolean | null
}

/** Whether the source repository is reachable. */
export type RepositoryStatus = McpServer['repositoryStatus']

/** A change since the previous audit. */
export type McpDrift = Readonly<Omit<McpServer['drift'][number], 'code' | 'at'>> & {
  readonly code:
    | 'script_added'
    | 'owners_replaced'
    | 'owners_changed'
    | 'repository_gone'
    | 'unpublished'
    | 'archive_changed'
  readonly at: Time
}

/** A finding behind a verdict. */
export type McpReason = McpServer['reasons'][number]

/** The audit of one MCP server. */
export type McpAudit = Readonly<Omit<McpServer, 'packages' | 'drift' | 'auditedAt'>> & {
  readonly packages: readonly PackageFacts[]
  /** The last found facts of each package, to compare the next audit with. */
  readonly lastFound: readonly PackageFacts[]
  /** Of the last 30 days, newest first. */
  readonly drift: readonly McpDrift[]
  readonly auditedAt: Time
}
