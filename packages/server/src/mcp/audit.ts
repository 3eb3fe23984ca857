import type { Time } from '../facts/facts.ts'
import type {
  McpAudit,
  McpDrift,
  McpListing,
  McpReason,
  PackageFacts,
  RepositoryStatus,
} from '../facts/mcpFacts.ts'
import { DAY } from '../facts/times.ts'
import type { Prober } from '../lib/prober.ts'
import { findDrift } from './drift.ts'

/** Up to this age a package has had little review by others. */
const NEW_MS = 7 * DAY
/** Up to this age install scripts are critical: malware is typically spread this way. */
const YOUNG_MS = 30 * DAY
/** A package without a release for this long counts as unmaintained. */
const STALE_MS = 730 * DAY
/** Weekly downloads below this are few. */
const FEW_DOWNLOADS = 50

type Ground = Omit<McpReason, 'package'>

const RANK: Readonly<Record<McpReason['severity'], number>> = { critical: 0, warn: 1, info: 2 }

/** Inputs of an audit. */
export type McpAuditInput = {
  readonly listing: McpListing
  readonly packages: readonly PackageFacts[]
  readonly repositoryStatus: RepositoryStatus
  /** The previous audit. */
  readonly before: McpAudit | undefined
  readonly now: Time
}

/**
 * Audits one MCP server. The verdict is avoid if a finding is critical, unknown if a package could not be measured,
 * caution if a finding warns, unknown if the registry leaves out too much, safe otherwise.
 */
export function auditMcpServer(input: McpAuditInput): McpAudit {
  const { listing, packages, repositoryStatus, before, now } = input
  const drift = findDrift(before, packages, repositoryStatus, now)
  const reasons = [
    ...judgeListing(input).map((ground) => ({ ...ground, package: null })),
    ...packages.flatMap((facts) =>
      judgePackage(facts, listing, now).map((ground) => ({ ...ground, package: facts.name })),
    ),
    ...drift.map((change) => ({ ...DRIFT_GROUNDS[change.code], code: change.code, package: change.package })),
  ].sort((a, b) => RANK[a.severity] - RANK[b.severity])
  const { name, directory, title, version } = listing
  return {
    name,
    directory,
    title,
    version,
    verdict: decide(reasons, packages),
    reasons,
    packages,
    lastFound: packages.map((facts) => findLast(facts, before)),
    repository: repositoryOf(listing, packages),
    repositoryStatus,
    drift,
    auditedAt: now,
  }
}

/** Returns the source repository that the listing names, else the first that a package names. */
export function repositoryOf(listing: McpListing, packages: readonly PackageFacts[]): string | null {
  return listing.repository ?? packages.find(({ repository }) => repository !== null)?.repository ?? null
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
  script_added: { severity: 'critical', message: 'A release added an install script.' },
  owners_replaced: { severity: 'critical', message: 'All maintainers were replaced.' },
  archive_changed: { severity: 'critical', message: 'The archive of a published version changed.' },
  unpublished: { severity: 'critical', message: 'The package was removed from the registry.' },
  owners_changed: { severity: 'warn', message: 'The maintainers changed.' },
  repository_gone: { severity: 'warn', message: 'The source repository is no longer reachable.' },
}

function judgeListing({ listing, packages, repositoryStatus }: McpAuditInput): Ground[] {
  return [
    listing.status === 'deleted' && critical('listing_deleted', 'The directory removed the listing.'),
    listing.status === 'deprecated' && warn('listing_deprecated', 'The directory marks it as deprecated.'),
    packages.length === 0 && info('no_package', 'It installs no npm package, so there is nothing to audit.'),
    packages.length > 0 &&
      listing.hasOther &&
      info('other_ways', 'It can also be installed in other ways, which are not audited.'),
    repositoryStatus === 'gone' && warn('repository_missing', 'The source repository is not reachable.'),
  ].filter((ground) => ground !== false)
}

function judgePackage(facts: PackageFacts, listing: McpListing, now: Time): Ground[] {
  switch (facts.outcome) {
    case 'not_measured':
      return [info('not_measured', 'The package registry is not reachable.')]
    case 'absent':
      return [critical('package_absent', 'The package does not exist; anyone could register its name.')]
    case 'unpublished':
      return [critical('package_unpublished', 'The package was unpublished from the registry.')]
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
  return [
    facts.isSecurityHolder && critical('security_holder', 'The registry removed this package as malware.'),
    hasScripts &&
      isYoung &&
      critical('new_with_install_script', 'It is less than 30 days old and runs an install script.'),
    hasScripts &&
      !isYoung &&
      warn('install_script', `It runs ${facts.installScripts.join(', ')} when it is installed.`),
    age !== null && age < NEW_MS && warn('very_new', 'It was first published less than a week ago.'),
    rest !== null && rest > STALE_MS && warn('stale', 'It has had no release for two years.'),
    facts.isDeprecated && warn('deprecated', 'Its maintainers marked it as deprecated.'),
    facts.maintainers?.length === 0 && warn('no_maintainer', 'It has no maintainers.'),
    facts.repository === null && warn('no_repository', 'It names no source repository.'),
    isElsewhere && warn('repository_mismatch', 'It names a different source repository than the directory.'),
    facts.license === null && warn('no_license', 'It names no licence.'),
    facts.hasListedVersion === false && warn('version_absent', 'The listed version does not exist.'),
    facts.hasProvenance === false && info('no_provenance', 'It has no provenance attestation.'),
    facts.isPartial && info('partial', 'The registry does not state the maintainers or the creation date.'),
    facts.downloads !== null &&
      facts.downloads < FEW_DOWNLOADS &&
      info('few_downloads', 'It has few downloads.'),
  ].filter((ground) => ground !== false)
}

/** Whether two repository URLs name different repositories; ignores folders of monorepos and spelling. */
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

/** Checks whether a source repository is reachable, through the address guard, since anyone may list a URL. */
export async function checkRepository(
  prober: Pick<Prober, 'probe'>,
  url: string | null,
  signal?: AbortSignal,
): Promise<RepositoryStatus> {
  if (url === null) return 'unknown'
  const target = { url, method: 'GET', body: null, declaresInput: true, client: 0 }
  const { httpStatus } = await prober.probe(target, signal)
  if (httpStatus === 404 || httpStatus === 410) return 'gone'
  return httpStatus !== null && httpStatus < 400 ? 'present' : 'unknown'
}
