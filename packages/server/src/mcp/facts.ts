import type { Time } from '../domain/facts/facts.ts'

/** An MCP server as a directory lists it: a claim, never a measurement. */
export type McpListing = {
  /** The directory's name. */
  readonly directory: string
  /** Such as `io.github.owner/server`; in a plain file the package's name. */
  readonly name: string
  readonly title: string | null
  readonly version: string | null
  readonly status: 'active' | 'deprecated' | 'deleted'
  /** As listed, or null. */
  readonly repository: string | null
  /** What it installs from npm, with the version that is listed. */
  readonly packages: readonly { readonly name: string; readonly version: string | null }[]
  /** Whether it is offered in other ways too, which are not audited: another registry, or a remote endpoint. */
  readonly hasOther: boolean
}

/** What a package registry says of one package. */
export type PackageFacts = {
  readonly name: string
  /** `unpublished` was there once; `not_measured` means that the registry could not be asked. */
  readonly outcome: 'found' | 'absent' | 'unpublished' | 'not_measured'
  /** The newest version by its tag `latest`. */
  readonly version: string | null
  readonly versions: number
  /** Null where the registry does not say. A mirror's own times are not the package's. */
  readonly createdAt: Time | null
  readonly publishedAt: Time | null
  /** Names of accounts that may publish, sorted; null where the registry does not say. */
  readonly maintainers: readonly string[] | null
  readonly license: string | null
  /** `https://…`, lower case host, without `.git`; null where none is named. */
  readonly repository: string | null
  /** Which scripts run when it is installed: `preinstall`, `install`, `postinstall`; `install` too for a native build. */
  readonly installScripts: readonly string[]
  /** Whether the registry holds an attestation of where it was built; null where it keeps none for any package. */
  readonly hasProvenance: boolean | null
  readonly isDeprecated: boolean
  /** Whether it is what the registry puts in place of a package that it took down for malice. */
  readonly isSecurityHolder: boolean
  /** Of the newest version's archive. */
  readonly integrity: string | null
  /** In the last week; null where the registry does not say. */
  readonly downloads: number | null
  /** Whether the registry leaves out who may publish and since when, as mirrors do; such a package cannot be called safe. */
  readonly isPartial: boolean
  /** Whether the version that the listing names is there; null where it names none. */
  readonly hasListedVersion: boolean | null
}

/** Whether the source that a package names can be seen. */
export type RepositoryStatus = 'present' | 'gone' | 'unknown'

/** What has changed since the audit before. */
export type McpDrift = {
  readonly code:
    | 'script_added'
    | 'owners_replaced'
    | 'owners_changed'
    | 'repository_gone'
    | 'unpublished'
    | 'archive_changed'
  readonly package: string
  readonly at: Time
  readonly before: string
  readonly after: string
}

/** One ground of a verdict. */
export type McpReason = {
  readonly code: string
  readonly severity: 'info' | 'warn' | 'critical'
  readonly package: string | null
  readonly message: string
}

/** The safety audit of one MCP server. */
export type McpAudit = {
  readonly name: string
  readonly directory: string
  readonly title: string | null
  readonly version: string | null
  readonly verdict: 'safe' | 'caution' | 'avoid' | 'unknown'
  /** Worst first. */
  readonly reasons: readonly McpReason[]
  readonly packages: readonly PackageFacts[]
  /** Each package as it was last found, for the next audit to compare with. */
  readonly lastFound: readonly PackageFacts[]
  readonly repository: string | null
  readonly repositoryStatus: RepositoryStatus
  /** Of the last 30 days, newest first. */
  readonly drift: readonly McpDrift[]
  readonly auditedAt: Time
}
