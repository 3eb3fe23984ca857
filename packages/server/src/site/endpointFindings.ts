import type { Page } from '../http/deps.ts'
import { admit, createLimiter } from '../http/rateLimit.ts'
import { ProblemError } from '../lib/problemError.ts'
import { describeFindings } from '../publish/findings.ts'
import { readFindings } from '../readModel/readEvidence.ts'
import { answerJson } from './answerHtml.tsx'
import { readUrl } from './hostName.ts'
import type { PageDeps } from './pageDeps.ts'
import { readParameter } from './readParameter.ts'

// Reads the probes that each finding cites.
const PER_CLIENT = { points: 60, windowSeconds: 60 }

/** Creates `/findings`: what was answered in every probe that the findings of an endpoint cite, published at once. */
export function createFindingsPage({ store, clock }: PageDeps): Page {
  const clients = createLimiter(PER_CLIENT)
  return {
    path: '/findings',
    handler: async ({ search, client }) => {
      admit(clients, client)
      const endpoint = readUrl(readParameter(search, 'endpoint') ?? '')?.key
      if (endpoint === undefined)
        throw new ProblemError(400, 'bad_endpoint', 'endpoint is not a public http or https URL.')
      const findings = await readFindings(store, endpoint)
      if (findings === undefined)
        throw new ProblemError(404, 'never_seen', 'This endpoint was never measured.')
      return answerJson(describeFindings(endpoint, findings, clock.now()))
    },
  }
}
