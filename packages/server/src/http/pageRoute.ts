import type { Request, Response } from 'express'
import { DEADLINE_MS, withDeadline } from './deadline.ts'
import type { HttpDeps, Page } from './deps.ts'
import { whenGone } from './gone.ts'
import { clientKey } from './rateLimit.ts'
import { cacheControl, createRepresentation, sendRepresentation } from './representation.ts'
import { rawSearch } from './search.ts'

const PAGE_MAX_AGE_SECONDS = 60

/** Makes the handler of a page, with the caching rules of free answers. */
export function createPageRoute(page: Page, deps: Pick<HttpDeps, 'clock' | 'deadlineMs'>) {
  return async (request: Request, response: Response): Promise<void> => {
    const accepts = request.accepts(['json', 'html']) === 'html' ? 'html' : 'json'
    const params = Object.fromEntries(
      Object.entries(request.params).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    )
    const answer = await withDeadline(
      (signal) =>
        page.handler({ params, search: rawSearch(request), accepts, client: clientKey(request.ip), signal }),
      deps.deadlineMs ?? DEADLINE_MS,
      whenGone(response),
    )
    if (answer.location !== undefined) response.setHeader('Location', answer.location)
    await sendRepresentation(request, response, createRepresentation(answer.body, answer.type), {
      ...(answer.status !== undefined && { status: answer.status }),
      cacheControl: cacheControl(
        answer.maxAgeSeconds ?? PAGE_MAX_AGE_SECONDS,
        answer.expiresAt,
        deps.clock.now(),
      ),
      vary: 'Accept',
    })
  }
}
