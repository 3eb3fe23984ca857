import { type McpVerification, parseQuery } from '@touchstone402/shared'
import { toTimestamp } from '../facts/times.ts'
import type { Page } from '../http/deps.ts'
import { badQuery } from '../http/free/freeRoute.ts'
import { MCP_VERIFY_QUERY } from '../http/paths.ts'
import { admit, createLimiter } from '../http/rateLimit.ts'
import { ProblemError } from '../lib/problemError.ts'
import { readKeptAudit } from '../mcp/createMcpVerifier.ts'
import { describeAudit } from '../mcp/describe.ts'
import { answerJson } from './answerHtml.tsx'
import type { PageDeps } from './pageDeps.ts'

/** New audits a client may ask for; kept ones count as any free call. In real time. */
const PER_CLIENT = { points: 20, windowSeconds: 600 }

type Failure = ConstructorParameters<typeof ProblemError>
const FAILURES: Readonly<Record<'absent' | 'unreachable' | 'busy', Failure>> = {
  absent: [404, 'package_absent', 'The npm registry has no such package; anyone could register its name.'],
  unreachable: [503, 'registry_unreachable', 'The npm registry does not answer.', { retryAfterSeconds: 60 }],
  busy: [503, 'queue_full', 'Many packages are being audited.', { retryAfterSeconds: 10 }],
}

/** Creates `/mcp/verify`: the audit of one npm package as an MCP server. */
export function createMcpVerifyPage(deps: Pick<PageDeps, 'store' | 'clock' | 'verifyMcp'>): Page {
  const limiter = createLimiter(PER_CLIENT)
  return {
    path: '/mcp/verify',
    handler: async ({ search, client }) => {
      const query = parseQuery(MCP_VERIFY_QUERY, search)
      if (!query.ok) throw badQuery(query.errors)
      const name = query.value.package
      const kept = await readKeptAudit(deps, name)
      if (kept === undefined) admit(limiter, client)
      const made = kept ?? (await deps.verifyMcp(name))
      if (typeof made === 'string') throw new ProblemError(...FAILURES[made])
      const { audit, expiresAt } = made
      const now = deps.clock.now()
      const about = { asOf: toTimestamp(now), package: name, expiresAt: toTimestamp(expiresAt) }
      const body: McpVerification = { ...about, ...describeAudit(audit, now) }
      return answerJson(body, { maxAgeSeconds: 300, expiresAt })
    },
  }
}
