import type { McpServer } from '@touchstone402/shared'
import type { Time } from '../domain/facts/facts.ts'
import { HOUR, toTimestamp } from '../domain/facts/times.ts'
import type { McpAudit, McpReason, PackageFacts } from './facts.ts'

/** Audits are daily, so two rounds were missed by then. */
const EXPIRES_MS = 48 * HOUR

const EXPIRED: McpReason = {
  code: 'expired',
  severity: 'info',
  package: null,
  message: 'The last audit is more than 48 hours old.',
}

/** Builds the published form of an audit. After 48 hours the verdict is unknown. */
export function describeAudit({ lastFound: _lastFound, ...audit }: McpAudit, now: Time): McpServer {
  const isExpired = now - audit.auditedAt > EXPIRES_MS
  return {
    ...audit,
    verdict: isExpired ? 'unknown' : audit.verdict,
    reasons: [...audit.reasons, ...(isExpired ? [EXPIRED] : [])],
    packages: audit.packages.map(describePackage),
    drift: audit.drift.map((change) => ({ ...change, at: toTimestamp(change.at) })),
    auditedAt: toTimestamp(audit.auditedAt),
  }
}

function describePackage({
  isSecurityHolder: _isSecurityHolder,
  isPartial: _isPartial,
  hasListedVersion: _hasListedVersion,
  ...facts
}: PackageFacts): McpServer['packages'][number] {
  return { ...facts, createdAt: toText(facts.createdAt), publishedAt: toText(facts.publishedAt) }
}

const toText = (time: Time | null) => (time === null ? null : toTimestamp(time))
