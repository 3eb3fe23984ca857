import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Problem } from '@touchstone402/shared'
import express from 'express'
import { StoreUnavailableError } from '../facts/storeError.ts'
import { messageOf } from '../lib/errors.ts'
import type { Log } from '../lib/logging.ts'
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

/** Logs an error that became a 500, or cut an answer. */
export function logFault(log: Log, error: unknown, requestId: string): void {
  const reason = messageOf(error)
  log('warn', `request failed: ${reason}`, { event: 'request_failed', requestId, reason })
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
  errorPages: ErrorPages,
): void {
  if (response.headersSent || response.destroyed) return
  if (refusal.retryAfterSeconds !== undefined) setWait(response, refusal.status, refusal.retryAfterSeconds)
  if (refusal.limit !== undefined) {
    const { points, windowSeconds } = refusal.limit
    response.setHeader('RateLimit-Policy', `"default";q=${points};w=${windowSeconds}`)
  }
  const isPage = preferredForm(request) === 'html'
  const text = isPage
    ? errorPages.refusal(refusal, request.url ?? '/')
    : JSON.stringify(toProblem(refusal, requestIdOf(response)))
  const body = Buffer.from(text)
  if (isPage) setHeaders(response, PAGE_HEADERS)
  response.writeHead(refusal.status, {
    'Content-Type': isPage ? HTML_TYPE : 'application/problem+json',
    'Content-Length': body.length,
    'Cache-Control': response.getHeader('Cache-Control') ?? 'no-store',
    Vary: 'Accept',
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** Sends anything thrown as {@link sendRefusal} does, and logs it if it is a fault of ours. */
export function sendError(
  log: Log,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  errorPages: ErrorPages,
): void {
  const refusal = toRefusal(error)
  if (refusal.status === 500) logFault(log, error, requestIdOf(response))
  sendRefusal(request, response, refusal, errorPages)
}

/**
 * Returns the form of an answer that a client prefers by `Accept`.
 * @param usual if it prefers neither. Link previews ask for anything, and programs do not expect pages of errors.
 */
export function preferredForm(request: IncomingMessage, usual: 'html' | 'json' = 'json'): 'html' | 'json' {
  const other = usual === 'html' ? 'json' : 'html'
  return express.request.accepts.call(request, usual, other) === other ? other : usual
}
