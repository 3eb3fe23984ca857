import type { McpServer } from '@touchstone402/shared'
import type { Time } from '../domain/facts/facts.ts'
import { HOUR, toTimestamp } from '../domain/facts/times.ts'
import type { McpAudit, PackageFacts } from './facts.ts'

/** Audits are made once a day; one that missed two rounds says nothing of today. */
const EXPIRES_MS = 48 * HOUR

const EXPIRED: McpServer['reasons'][number] = {
  code: 'expired',
  severity: 'info',
  package: null,
  message: 'The last audit is more than 48 hours old.',
}

/** An audit as it is published; one older than 48 hours is unknown, as any verdict is. */
export function describeAudit(audit: McpAudit, now: Time): McpServer {
  const isExpired = now - audit.auditedAt > EXPIRES_MS
  return {
    name: audit.name,
    directory: audit.directory,
    title: audit.title,
    version: audit.version,
    verdict: isExpired ? 'unknown' : audit.verdict,
    reasons: [...audit.reasons, ...(isExpired ? [EXPIRED] : [])],
    packages: audit.packages.map(describePackage),
    repository: audit.repository,
    repositoryStatus: audit.repositoryStatus,
    drift: audit.drift.map((change) => ({ ...change, at: toTimestamp(change.at) })),
    auditedAt: toTimestamp(audit.auditedAt),
  }
}

function describePackage(facts: PackageFacts): McpServer['packages'][number] {
  return {
    name: facts.name,
    outcome: facts.outcome,
    version: facts.version,
    versions: facts.versions,
    createdAt: facts.createdAt === null ? null : toTimestamp(facts.createdAt),
    publishedAt: facts.publishedAt === null ? null : toTimestamp(facts.publishedAt),
    maintainers: facts.maintainers === null ? null : [...facts.maintainers],
    license: facts.license,
    repository: facts.repository,
    installScripts: [...facts.installScripts],
    hasProvenance: facts.hasProvenance,
    isDeprecated: facts.isDeprecated,
    integrity: facts.integrity,
    downloads: facts.downloads,
  }
}
