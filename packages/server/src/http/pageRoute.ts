import type { Request, Response } from 'express'
import type { Context } from '../context.ts'
import type { Page, PageAnswer } from './deps.ts'
import { cacheControl, DEADLINE_MS, rawSearch, withDeadline } from './free/freeRoute.ts'
import { formFor, makeReady, type ReadyAnswer, send } from './free/readyAnswer.ts'
import { hasJson } from './paths.ts'
import { preferredForm, setWait } from './problems.ts'
import { clientKey } from './rateLimit.ts'
import { readFields } from './readFields.ts'
import { PAGE_HEADERS } from './securityHeaders.ts'

const PAGE_MAX_AGE_SECONDS = 60

/**
 * Creates the handler of a page, with the caching rules of free answers.
 * @param form as the path asks for. @default by `Accept`
 */
export function createPageRoute({ clock }: Pick<Context, 'clock'>, page: Page, form?: 'json') {
  // A page that returns its answer again saves the rendering, and here the compression.
  const made = new WeakMap<PageAnswer, ReadyAnswer>()
  const makeOnce = (answer: PageAnswer, control: string) => {
    const known = made.get(answer)
    if (known?.options.cacheControl === control) return known
    const ready = make(answer, control)
    made.set(answer, ready)
    return ready
  }
  const isDual = hasJson(page.path)
  const ask = page.isShared === true ? shareConcurrent(page.handler) : page.handler
  return async (request: Request, response: Response): Promise<void> => {
    const accepts = form ?? preferredForm(request, isDual && request.method !== 'POST' ? 'html' : 'json')
    const params = readParams(request)
    const search = rawSearch(request.url)
    const asked = { params, search, accepts, client: clientKey(request.ip) } as const
    const inTime = <T>(made: T | Promise<T>) =>
      made instanceof Promise ? withDeadline(made, DEADLINE_MS) : made
    const answer =
      request.method === 'POST' && page.post !== undefined
        ? await inTime(page.post({ ...asked, fields: await readFields(request) }))
        : await inTime(ask(asked))
    setPageHeaders(response, answer)
    if (isDual && accepts === 'html') response.setHeader('Link', linkToJson(request.url))
    const { maxAgeSeconds = PAGE_MAX_AGE_SECONDS, expiresAt } = answer
    const control = cacheControl(maxAgeSeconds, expiresAt, clock.now())
    const isAlone = answer.isSecret === true || answer.retryAfterSeconds !== undefined
    const ready = isAlone ? make(answer, 'private, no-store') : makeOnce(answer, control.text)
    send(request, response, ready, await formFor(ready, request), answer.status)
  }
}

/** Lets concurrent equal requests share one answer, so that a page that many open at once is made once. */
export function shareConcurrent(handler: Page['handler']): Page['handler'] {
  const underWay = new Map<string, Promise<PageAnswer>>()
  return (request) => {
    const { params, search, accepts } = request
    const key = JSON.stringify([params, search, accepts])
    const running = underWay.get(key)
    if (running !== undefined) return running
    const made = handler(request)
    if (!(made instanceof Promise)) return made
    underWay.set(key, made)
    const forget = () => void underWay.delete(key)
    made.then(forget, forget)
    return made
  }
}

const make = ({ body, type, headers = PAGE_HEADERS }: PageAnswer, cacheControl: string) =>
  makeReady(body, { type, cacheControl, vary: 'Accept', common: headers })

/** Returns the named segments of the path. */
export function readParams(request: Request): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.params).flatMap(([name, value]: [string, string | string[] | undefined]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join('/') : value] as const],
    ),
  )
}

/** Returns the path of a page's JSON. */
export const jsonPath = (path: string): string => (path === '/' ? '/index.json' : `${path}.json`)

// Parsed as a URL, which escapes what would end the link.
function linkToJson(target: string): string {
  const { pathname, search } = new URL(target, 'http://localhost')
  return `<${jsonPath(pathname)}${search}>; rel="alternate"; type="application/json"`
}

/** Sets the headers of an answer that do not go with its body. */
function setPageHeaders(response: Response, answer: PageAnswer): void {
  const { status = 200, location, refreshSeconds, retryAfterSeconds, isUnlisted } = answer
  if (retryAfterSeconds !== undefined) setWait(response, status, retryAfterSeconds)
  if (location !== undefined) response.setHeader('Location', location)
  if (refreshSeconds !== undefined) response.setHeader('Refresh', String(refreshSeconds))
  if (isUnlisted === true) response.setHeader('X-Robots-Tag', 'noindex')
}
