import type { Page } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import { createLimiter, tooManyCalls } from '../../http/rateLimit.ts'
import { answerJson } from '../answerHtml.tsx'
import { profilePath } from '../components/incidentList.tsx'
import { readHost } from '../hostName.ts'
import type { PageDeps } from '../pageDeps.ts'

/** Real time. A host's owner who mends something waits no longer than this for the next try. */
const PER_HOST = { points: 1, windowSeconds: 3600 }
const PER_CLIENT = { points: 5, windowSeconds: 60 }

/** Where a host is put in front of the queue. */
export const recheckPath = (host: string) => `${profilePath(host)}/recheck`

/**
 * Puts a host's endpoints in front of the crawl's queue, free of charge: 202 with JSON, or for browsers back to the
 * profile. At most once an hour for a host, and 5 times a minute for a client.
 */
export function createRecheckPage(
  { readModel, publicUrl }: Pick<PageDeps, 'readModel' | 'publicUrl'>,
  recheck: (host: string) => Promise<void> | void,
): Page {
  const clients = createLimiter(PER_CLIENT)
  const hosts = createLimiter(PER_HOST)
  return {
    path: '/services/:host/recheck',
    handler: async ({ params, accepts, client }) => {
      const perClient = clients.take(client)
      if (perClient > 0) throw tooManyCalls(perClient)
      const host = readHost(params.host ?? '')
      const document = host === undefined ? undefined : readModel.host(host)
      if (document === undefined)
        throw new ProblemError(404, 'never_seen', 'No endpoint of this host is known.')
      const perHost = hosts.take(document.host)
      if (perHost > 0) {
        throw new ProblemError(
          429,
          'rechecked_lately',
          `This host was put in front less than an hour ago; try again in ${perHost} s.`,
          { retryAfterSeconds: perHost },
        )
      }
      await recheck(document.host)
      if (accepts === 'html') {
        return {
          status: 303,
          type: 'text/plain; charset=utf-8',
          body: '',
          location: profilePath(document.host),
          maxAgeSeconds: 0,
        }
      }
      const body = {
        host: document.host,
        endpoints: document.endpoints.map(({ endpoint }) => endpoint),
        profile: publicUrl + profilePath(document.host),
      }
      return { ...answerJson(body, { status: 202 }), maxAgeSeconds: 0 }
    },
  }
}
