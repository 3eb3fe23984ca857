import type { Request, Response } from 'express'
import { DEADLINE_MS, withDeadline } from './deadline.ts'
import type { HttpDeps, Page, PageAnswer } from './deps.ts'
import {
  cacheControl,
  chooseCoding,
  createRepresentation,
  prepare,
  type Representation,
  write,
} from './free/representation.ts'
import { clientKey } from './rateLimit.ts'
import { rawSearch } from './search.ts'
import { PAGE_HEADERS } from './securityHeaders.ts'

const PAGE_MAX_AGE_SECONDS = 60

/** Makes the handler of a page, with the caching rules of free answers. */
export function createPageRoute(page: Page, deps: Pick<HttpDeps, 'clock' | 'deadlineMs'>) {
  let last: { body: PageAnswer['body']; representation: Representation } | undefined
  /** Most pages come out the same from one call to the next: what their bytes cost, compression above all, is kept. */
  const represent = ({ body, type }: PageAnswer) => {
    if (last?.body !== body || last.representation.type !== type) {
      last = { body, representation: createRepresentation(body, type) }
    }
    return last.representation
  }
  return async (request: Request, response: Response): Promise<void> => {
    const accepts = request.accepts(['json', 'html']) === 'html' ? 'html' : 'json'
    const params = Object.fromEntries(
      Object.entries(request.params).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    )
    const search = rawSearch(request.url)
    const made = page.handler({ params, search, accepts, client: clientKey(request.ip) })
    const answer = made instanceof Promise ? await withDeadline(made, deps.deadlineMs ?? DEADLINE_MS) : made
    if (answer.location !== undefined) response.setHeader('Location', answer.location)
    const representation = represent(answer)
    const coding = chooseCoding(request.get('Accept-Encoding'), representation.body.length)
    const { maxAgeSeconds = PAGE_MAX_AGE_SECONDS, expiresAt } = answer
    const control = cacheControl(maxAgeSeconds, expiresAt, deps.clock.now())
    const options = { cacheControl: control, vary: 'Accept', common: PAGE_HEADERS }
    write(request, response, await prepare(representation, coding, options), answer.status)
  }
}
