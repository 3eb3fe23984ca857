import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Problem } from '@touchstone402/shared'
import { StoreUnavailableError } from '../domain/facts/storeError.ts'
import type { Refusal } from '../ports/paywall.ts'

/** An error that the caller sees; every other error becomes a bare 500. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly refusal: Refusal

  /**
   * @param status 400-599
   * @param code stable, in `snake_case`
   * @param detail one sentence for people
   */
  constructor(
    status: number,
    code: string,
    detail: string,
    more: Pick<Refusal, 'retryAfterSeconds' | 'errors' | 'receipt'> = {},
  ) {
    super(detail)
    this.refusal = { status, code, detail, ...more }
  }
}

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

/** Returns the problem document of a refusal. Source: RFC 9457. */
export function toProblem(refusal: Refusal): Problem {
  const { status, code, detail, errors, receipt } = refusal
  return {
    type: `urn:touchstone:problem:${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    code,
    detail,
    ...(errors && { errors: errors.map((error) => ({ ...error })) }),
    ...(receipt !== undefined && { receipt }),
  }
}

/** Sends a refusal as a problem document; never cacheable. */
export function sendRefusal(response: ServerResponse, refusal: Refusal, headOnly = false): void {
  if (response.headersSent || response.destroyed) return
  const body = Buffer.from(JSON.stringify(toProblem(refusal)))
  if (refusal.retryAfterSeconds !== undefined) {
    response.setHeader('Retry-After', String(Math.max(1, Math.ceil(refusal.retryAfterSeconds))))
  }
  response.writeHead(refusal.status, {
    'Content-Type': 'application/problem+json',
    'Content-Length': body.length,
    'Cache-Control': response.getHeader('Cache-Control') ?? 'no-store',
  })
  response.end(headOnly ? undefined : body)
}

/**
 * Sends the problem document of anything thrown.
 * @param onFault called with an error that became a 500
 */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  onFault?: (error: unknown) => void,
): void {
  const refusal = toRefusal(error)
  if (refusal.status === 500) onFault?.(error)
  sendRefusal(response, refusal, request.method === 'HEAD')
}
