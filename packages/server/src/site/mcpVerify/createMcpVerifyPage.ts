import { type McpVerification, parseQuery } from '@touchstone402/shared'
import { toTimestamp } from '../../domain/facts/times.ts'
import type { Page } from '../../http/deps.ts'
import { badQuery } from '../../http/free/freeRoute.ts'
import { JSON_TYPE } from '../../http/free/readyAnswer.ts'
import { MCP_VERIFY_QUERY } from '../../http/paths.ts'
import { ProblemError } from '../../http/problems.ts'
import { admit, createLimiter } from '../../http/rateLimit.ts'
import { describeAudit } from '../../mcp/describe.ts'
import type { McpVerifier } from '../../mcp/verify/createMcpVerifier.ts'
import type { PageDeps } from '../pageDeps.ts'

/** New audits a client may ask for; kept ones count as any free call. In real time. */
const PER_CLIENT = { points: 20, windowSeconds: 600 }
const MAX_AGE_SECONDS = 300

/** Creates `/mcp/verify`: the audit of one npm package as an MCP server. */
export function createMcpVerifyPage({ clock }: Pick<PageDeps, 'clock'>, verifier: McpVerifier): Page {
  const limiter = createLimiter(PER_CLIENT)
  const auditFor = async (name: string, client: string) => {
    admit(limiter, client)
    const made = await verifier.audit(name)
    if (typeof made === 'string') throw refusalOf(made)
    return made
  }
  return {
    path: '/mcp/verify',
    handler: async ({ search, client }) => {
      const query = parseQuery(MCP_VERIFY_QUERY, search)
      if (!query.ok) throw badQuery(query.errors)
      const name = query.value.package
      const { audit, expiresAt } = (await verifier.read(name)) ?? (await auditFor(name, client))
      const now = clock.now()
      const body: McpVerification = {
        asOf: toTimestamp(now),
        package: name,
        ...describeAudit(audit, now),
        expiresAt: toTimestamp(expiresAt),
      }
      return { type: JSON_TYPE, body: JSON.stringify(body), maxAgeSeconds: MAX_AGE_SECONDS, expiresAt }
    },
  }
}

function refusalOf(failure: 'absent' | 'unreachable' | 'busy'): ProblemError {
  switch (failure) {
    case 'absent':
      return new ProblemError(
        404,
        'package_absent',
        'The npm registry has no such package; anyone could register its name.',
      )
    case 'unreachable':
      return new ProblemError(
        503,
        'registry_unreachable',
        'The npm registry does not answer; try again in a minute.',
        {
          retryAfterSeconds: 60,
        },
      )
    case 'busy':
      return new ProblemError(503, 'queue_full', 'Many packages are being audited; try again in 10 s.', {
        retryAfterSeconds: 10,
      })
  }
}
