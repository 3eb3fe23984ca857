import type { McpServer } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import type { McpAudit, McpReason, PackageFacts } from '../facts/mcpFacts.ts'
import { HOUR, toTimestamp } from '../facts/times.ts'

/** Audits are daily, so two rounds were missed by then. */
const EXPIRES_MS = 48 * HOUR

const EXPIRED: McpReason = {
  code: 'expired',
  severity: 'info',
  package: null,
  message: 'The last audit is more than 48 hours old.',
}

/** Builds the published form of an audit, field by field: stored audits hold more. After 48 hours the verdict is unknown. */
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
    drift: audit.drift.map((change) => ({
      code: change.code,
      package: change.package,
      at: toTimestamp(change.at),
      before: change.before,
      after: change.after,
    })),
    auditedAt: toTimestamp(audit.auditedAt),
  }
}

function describePackage(facts: PackageFacts): McpServer['packages'][number] {
  return {
    name: facts.name,
    outcome: facts.outcome,
    version: facts.version,
    versions: facts.versions,
    createdAt: toText(facts.createdAt),
    publishedAt: toText(facts.publishedAt),
    maintainers: facts.maintainers,
    license: facts.license,
    repository: facts.repository,
    installScripts: facts.installScripts,
    hasProvenance: facts.hasProvenance,
    isDeprecated: facts.isDeprecated,
    integrity: facts.integrity,
    downloads: facts.downloads,
  }
}

const toText = (time: Time | null) => (time === null ? null : toTimestamp(time))
