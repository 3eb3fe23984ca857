import type { Time } from '../domain/facts/facts.ts'
import { DAY } from '../domain/facts/times.ts'
import { findDrift } from './drift.ts'
import type { McpAudit, McpDrift, McpListing, McpReason, PackageFacts, RepositoryStatus } from './facts.ts'

/** A package younger than this has had no time to be looked at by others. */
const NEW_MS = 7 * DAY
/** Install scripts of a package younger than this are how malice is spread. */
const YOUNG_MS = 30 * DAY
/** After so long without a release nobody mends it. */
const STALE_MS = 730 * DAY
/** Weekly downloads below which few others would notice. */
const FEW_DOWNLOADS = 50

type Severity = McpReason['severity']
type Ground = { readonly code: string; readonly severity: Severity; readonly message: string }

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warn: 1, info: 2 }

/** What one look at a server found. */
export type McpLook = {
  readonly listing: McpListing
  readonly packages: readonly PackageFacts[]
  readonly repositoryStatus: RepositoryStatus
  /** The audit before this one. */
  readonly before: McpAudit | undefined
  readonly now: Time
}

/**
 * Audits one MCP server: avoid where anything is critical, unknown where a package could not be measured, caution where
 * anything warns, unknown where the registry leaves too much out, safe otherwise.
 */
export function auditMcpServer({ listing, packages, repositoryStatus, before, now }: McpLook): McpAudit {
  const drift = findDrift(before, packages, repositoryStatus, now)
  const reasons = [
    ...judgeListing(listing, packages, repositoryStatus).map((ground) => ({ ...ground, package: null })),
    ...packages.flatMap((facts) =>
      judgePackage(facts, listing, now).map((ground) => ({ ...ground, package: facts.name })),
    ),
    ...drift.map((change) => ({ ...DRIFT_GROUNDS[change.code], code: change.code, package: change.package })),
  ].sort((a, b) => RANK[a.severity] - RANK[b.severity])
  return {
    name: listing.name,
    directory: listing.directory,
    title: listing.title,
    version: listing.version,
    verdict: decide(reasons, packages),
    reasons,
    packages,
    lastFound: packages.map((facts) => findLast(facts, before)),
    repository:
      listing.repository ?? packages.find(({ repository }) => repository !== null)?.repository ?? null,
    repositoryStatus,
    drift,
    auditedAt: now,
  }
}

function findLast(facts: PackageFacts, before: McpAudit | undefined): PackageFacts {
  if (facts.outcome === 'found') return facts
  return before?.lastFound.find(({ name }) => name === facts.name) ?? facts
}

function decide(reasons: readonly McpReason[], packages: readonly PackageFacts[]): McpAudit['verdict'] {
  if (reasons.some(({ severity }) => severity === 'critical')) return 'avoid'
  if (packages.length === 0 || packages.some(({ outcome }) => outcome === 'not_measured')) return 'unknown'
  if (reasons.some(({ severity }) => severity === 'warn')) return 'caution'
  return packages.some(({ isPartial }) => isPartial) ? 'unknown' : 'safe'
}

const DRIFT_GROUNDS: Readonly<Record<McpDrift['code'], Omit<Ground, 'code'>>> = {
  script_added: { severity: 'critical', message: 'A release added a script that runs when it is installed.' },
  owners_replaced: {
    severity: 'critical',
    message: 'None of the accounts that could publish before still can.',
  },
  archive_changed: { severity: 'critical', message: 'The archive of a version is another than before.' },
  unpublished: { severity: 'critical', message: 'The package was there and is no longer.' },
  owners_changed: { severity: 'warn', message: 'Other accounts may publish than before.' },
  repository_gone: { severity: 'warn', message: 'The source could be seen before and no longer can.' },
}

function judgeListing(
  listing: McpListing,
  packages: readonly PackageFacts[],
  repositoryStatus: RepositoryStatus,
): Ground[] {
  const grounds: (Ground | false)[] = [
    listing.status === 'deleted' && critical('listing_deleted', 'Its directory has taken it off the list.'),
    listing.status === 'deprecated' && warn('listing_deprecated', 'Its directory calls it deprecated.'),
    packages.length === 0 &&
      info('no_package', 'It installs nothing from npm, so there is nothing to audit here.'),
    packages.length > 0 &&
      listing.hasOther &&
      info('other_ways', 'It is offered in other ways too, which are not audited.'),
    repositoryStatus === 'gone' && warn('repository_missing', 'The source that it names cannot be seen.'),
  ]
  return grounds.filter((ground) => ground !== false)
}

function judgePackage(facts: PackageFacts, listing: McpListing, now: Time): Ground[] {
  switch (facts.outcome) {
    case 'not_measured':
      return [info('not_measured', 'The package registry could not be asked.')]
    case 'absent':
      return [
        critical(
          'package_absent',
          'The package does not exist; whoever takes the name decides what is installed.',
        ),
      ]
    case 'unpublished':
      return [critical('package_unpublished', 'The package was taken back from the registry.')]
    case 'found':
      return judgeFound(facts, listing, now)
  }
}

function judgeFound(facts: PackageFacts, listing: McpListing, now: Time): Ground[] {
  const age = facts.createdAt === null ? null : now - facts.createdAt
  const rest = facts.publishedAt === null ? null : now - facts.publishedAt
  const hasScripts = facts.installScripts.length > 0
  const isYoung = age !== null && age < YOUNG_MS
  const isElsewhere = facts.repository !== null && differs(listing.repository, facts.repository)
  const grounds: (Ground | false)[] = [
    facts.isSecurityHolder && critical('security_holder', 'The registry removed this package for malice.'),
    hasScripts &&
      isYoung &&
      critical(
        'new_with_install_script',
        'It is younger than 30 days and runs a script when it is installed.',
      ),
    hasScripts &&
      !isYoung &&
      warn('install_script', `It runs ${facts.installScripts.join(', ')} when it is installed.`),
    age !== null && age < NEW_MS && warn('very_new', 'It was first published less than a week ago.'),
    rest !== null && rest > STALE_MS && warn('stale', 'It has had no release for two years.'),
    facts.isDeprecated && warn('deprecated', 'Its maintainers call it deprecated.'),
    facts.maintainers?.length === 0 && warn('no_maintainer', 'No account is named that may publish it.'),
    facts.repository === null && warn('no_repository', 'It names no source.'),
    isElsewhere && warn('repository_mismatch', 'It names another source than its directory does.'),
    facts.license === null && warn('no_license', 'It names no licence.'),
    facts.hasListedVersion === false &&
      warn('version_absent', 'The version that its directory lists does not exist.'),
    facts.hasProvenance === false && info('no_provenance', 'Nothing attests where it was built.'),
    facts.isPartial &&
      info(
        'partial',
        'The registry that was asked does not say who may publish it, or since when it exists.',
      ),
    facts.downloads !== null &&
      facts.downloads < FEW_DOWNLOADS &&
      info('few_downloads', 'Few others install it.'),
  ]
  return grounds.filter((ground) => ground !== false)
}

/** Whether two addresses of a source lead to different places; monorepos and spelling aside. */
function differs(listed: string | null, named: string): boolean {
  const place = (url: string) =>
    url
      .toLowerCase()
      .replace(/^https?:\/\/(www\.)?/, '')
      .replace(/\.git$/, '')
      .split('/')
      .slice(0, 3)
      .join('/')
  return listed !== null && place(listed) !== place(named)
}

const critical = (code: string, message: string): Ground => ({ code, severity: 'critical', message })
const warn = (code: string, message: string): Ground => ({ code, severity: 'warn', message })
const info = (code: string, message: string): Ground => ({ code, severity: 'info', message })
