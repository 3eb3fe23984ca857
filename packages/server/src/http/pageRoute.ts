import type { Request, Response } from 'express'
import { DEADLINE_MS, withDeadline } from './deadline.ts'
import type { HttpDeps, Page, PageAnswer } from './deps.ts'
import { cacheControl } from './free/cacheControl.ts'
import { formFor, makeReady, type ReadyAnswer, send } from './free/readyAnswer.ts'
import { clientKey } from './rateLimit.ts'
import { rawSearch } from './search.ts'
import { PAGE_HEADERS } from './securityHeaders.ts'

const PAGE_MAX_AGE_SECONDS = 60

/** Creates the handler of a page, with the caching rules of free answers. */
export function createPageRoute(page: Page, deps: Pick<HttpDeps, 'clock' | 'deadlineMs'>) {
  let last: { body: PageAnswer['body']; ready: ReadyAnswer } | undefined
  // Most pages repeat, and compressing them costs the most.
  const makeOnce = (body: PageAnswer['body'], type: string, control: string) => {
    const options = last?.ready.options
    if (last?.body !== body || options?.type !== type || options.cacheControl !== control) {
      const common = PAGE_HEADERS
      last = { body, ready: makeReady(body, { type, cacheControl: control, vary: 'Accept', common }) }
    }
    return last.ready
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
    const { maxAgeSeconds = PAGE_MAX_AGE_SECONDS, expiresAt } = answer
    const control = cacheControl(maxAgeSeconds, expiresAt, deps.clock.now())
    const ready = makeOnce(answer.body, answer.type, control.text)
    send(request, response, ready, await formFor(ready, request), answer.status)
  }
}
