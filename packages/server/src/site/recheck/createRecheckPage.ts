import type { Page } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import { createLimiter, tooManyCalls } from '../../http/rateLimit.ts'
import { answerJson } from '../answerHtml.tsx'
import { findHost } from '../hostName.ts'
import type { PageDeps } from '../pageDeps.ts'
import { profilePath } from '../paths.ts'

// Windows in real time.
const PER_HOST = { points: 1, windowSeconds: 3600 }
const PER_CLIENT = { points: 5, windowSeconds: 60 }

/**
 * Creates the page that queues a host's endpoints for an early probe, free of charge. Answers 202 with JSON;
 * browsers are redirected to the profile. Limited to once per hour and host, and 5 times per minute and client.
 */
export function createRecheckPage(
  { store, publicUrl }: Pick<PageDeps, 'store' | 'publicUrl'>,
  recheck: (host: string) => Promise<void> | void,
): Page {
  const clients = createLimiter(PER_CLIENT)
  const hosts = createLimiter(PER_HOST)
  return {
    path: '/services/:host/recheck',
    handler: async ({ params, accepts, client }) => {
      const perClient = clients.take(client)
      if (perClient > 0) throw tooManyCalls(perClient)
      const { host, endpoints } = await findHost({ store }, params.host)
      const perHost = hosts.take(host)
      if (perHost > 0) {
        throw new ProblemError(
          429,
          'rechecked_lately',
          `This host was re-checked less than an hour ago; try again in ${perHost} s.`,
          { retryAfterSeconds: perHost },
        )
      }
      await recheck(host)
      const profile = profilePath(host)
      if (accepts === 'html') {
        return {
          status: 303,
          type: 'text/plain; charset=utf-8',
          body: '',
          location: profile,
          maxAgeSeconds: 0,
        }
      }
      const body = {
        host,
        endpoints: endpoints.map(({ endpoint }) => endpoint),
        profile: publicUrl + profile,
      }
      return answerJson(body, { status: 202, maxAgeSeconds: 0 })
    },
  }
}
