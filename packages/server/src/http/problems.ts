import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Problem } from '@touchstone402/shared'
import express from 'express'
import { StoreUnavailableError } from '../facts/storeError.ts'
import type { Refusal } from '../lib/problemError.ts'
import { ProblemError } from '../lib/problemError.ts'
import type { ErrorPages } from './deps.ts'
import { requestIdOf } from './requestId.ts'
import { PAGE_HEADERS, setHeaders } from './securityHeaders.ts'

/** Content type of pages. */
export const HTML_TYPE = 'text/html; charset=utf-8'

const INTERNAL: Refusal = { status: 500, code: 'internal', detail: 'Something went wrong on our side.' }

/** Maps anything thrown to a refusal. Only a {@link ProblemError} passes its own text on. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof ProblemError) return error.refusal
  // Thrown by Express' router.
  if (error instanceof URIError) {
    return { status: 400, code: 'bad_path', detail: 'The path is not valid percent-encoded UTF-8.' }
  }
  if (error instanceof StoreUnavailableError) {
    return {
      status: 503,
      code: 'store_unavailable',
      detail: 'The store is not available.',
      retryAfterSeconds: 10,
    }
  }
  return INTERNAL
}

/**
 * Returns the problem document of a refusal. Source: RFC 9457.
 * @param requestId omitted if the request could not be parsed
 */
export function toProblem(refusal: Refusal, requestId?: string): Problem {
  const { status, code, detail, errors, receipt } = refusal
  return {
    type: `urn:touchstone:problem:${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    code,
    detail,
    ...(errors && { errors: errors.map((error) => ({ ...error })) }),
    ...(receipt !== undefined && { receipt }),
    ...(requestId !== undefined && { requestId }),
  }
}

/** How refusals are sent. */
export type RefusalOptions = {
  /** Pages for browsers. @default every client gets a problem document */
  readonly errorPages?: ErrorPages | undefined
  /** Called with an error that became a 500, and the id of its request. */
  readonly onError?: ((error: unknown, requestId: string) => void) | undefined
}

/** Sets the time of the next attempt. Source: draft-ietf-httpapi-ratelimit-headers-10. */
export function setWait(response: ServerResponse, status: number, seconds: number): void {
  const wait = Math.max(1, Math.ceil(seconds))
  response.setHeader('Retry-After', String(wait))
  if (status === 429) response.setHeader('RateLimit', `"default";r=0;t=${wait}`)
}

/** Sends a refusal as a problem document, or as a page if the client prefers one; never cacheable. */
export function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  { errorPages }: RefusalOptions = {},
): void {
  if (response.headersSent || response.destroyed) return
  if (refusal.retryAfterSeconds !== undefined) setWait(response, refusal.status, refusal.retryAfterSeconds)
  if (refusal.limit !== undefined) {
    const { points, windowSeconds } = refusal.limit
    response.setHeader('RateLimit-Policy', `"default";q=${points};w=${windowSeconds}`)
  }
  const isPage = errorPages !== undefined && preferredForm(request) === 'html'
  const text = isPage
    ? errorPages.refusal(refusal, request.url ?? '/')
    : JSON.stringify(toProblem(refusal, requestIdOf(response)))
  const body = Buffer.from(text)
  if (isPage) setHeaders(response, PAGE_HEADERS)
  response.writeHead(refusal.status, {
    'Content-Type': isPage ? HTML_TYPE : 'application/problem+json',
    'Content-Length': body.length,
    'Cache-Control': response.getHeader('Cache-Control') ?? 'no-store',
    ...(errorPages !== undefined && { Vary: 'Accept' }),
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** Sends anything thrown as {@link sendRefusal} does. */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  options: RefusalOptions = {},
): void {
  const refusal = toRefusal(error)
  if (refusal.status === 500) options.onError?.(error, requestIdOf(response))
  sendRefusal(request, response, refusal, options)
}

/**
 * Returns the form of an answer that a client prefers by `Accept`.
 * @param usual if it prefers neither. Link previews ask for anything, and programs do not expect pages of errors.
 */
export function preferredForm(request: IncomingMessage, usual: 'html' | 'json' = 'json'): 'html' | 'json' {
  const other = usual === 'html' ? 'json' : 'html'
  return express.request.accepts.call(request, usual, other) === other ? other : usual
}
