import { ProblemSchema, parseJson } from '@touchstone402/shared'
import type { Schemas } from './contractTypes.ts'

/** Sentence of each failure of a client call. */
export const CLIENT_FAULTS = {
  SERVICE_URL_INVALID: 'The address of the service must be an https URL, or an http URL on this machine.',
  QUERY_INVALID: 'The query is invalid; nothing was sent.',
  NO_PAYING_FETCH: 'The operation is paid, and the client has no `pay`.',
  PAYMENT_REQUIRED: 'The service requires a payment that was not made or not accepted.',
  NOT_FOUND: 'The service has no such record.',
  CONFLICT: 'The same payment is still in progress.',
  RATE_LIMITED: 'Too many requests to the service.',
  UNAVAILABLE: 'The service is temporarily unavailable.',
  REFUSED: 'The service refused the call.',
  NO_ANSWER: 'The service timed out or could not be reached.',
  ANSWER_INVALID: "The service's answer violates its contract.",
} as const

/**
 * Literal reason of a failed call.
 * @example
 * const transient: ClientErrorCode[] = ['RATE_LIMITED', 'UNAVAILABLE', 'NO_ANSWER']
 */
export type ClientErrorCode = keyof typeof CLIENT_FAULTS

/** Optional parts of a {@link TouchstoneClientError}. */
export type ClientErrorDetails = {
  /** One more sentence, in the client's own words. */
  details?: string | undefined
  status?: number | undefined
  retryAfterSeconds?: number | undefined
  problem?: Schemas['Problem'] | undefined
  cause?: unknown
}

/**
 * Error of a failed call.
 * @example
 * client.status().catch((error) => {
 *   if (error instanceof TouchstoneClientError) console.log(error.code, error.retryAfterSeconds)
 * })
 */
export class TouchstoneClientError extends Error {
  override readonly name = 'TouchstoneClientError'
  /** Reason of the failure, as a literal. */
  readonly code: ClientErrorCode
  /** HTTP status; absent without an answer. */
  readonly status: number | undefined
  /** Seconds to wait before a retry, as the service asks. */
  readonly retryAfterSeconds: number | undefined
  /** The service's own description as data (RFC 9457); not part of the message. */
  readonly problem: Schemas['Problem'] | undefined

  constructor(code: ClientErrorCode, more: ClientErrorDetails = {}) {
    const { details, status, retryAfterSeconds, problem, cause } = more
    super(details === undefined ? CLIENT_FAULTS[code] : `${CLIENT_FAULTS[code]} ${details}`, { cause })
    this.code = code
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
    this.problem = problem
  }
}

const CODES: Readonly<Record<number, ClientErrorCode>> = {
  402: 'PAYMENT_REQUIRED',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  429: 'RATE_LIMITED',
  503: 'UNAVAILABLE',
}

/** Creates the error of an answer without success. */
export function toClientError(response: Response, text: string, now: number): TouchstoneClientError {
  const { status, headers } = response
  return new TouchstoneClientError(CODES[status] ?? 'REFUSED', {
    details: `Status ${status}.`,
    status,
    retryAfterSeconds: readRetryAfter(headers.get('Retry-After'), now),
    problem: readProblem(text),
  })
}

// Seconds or, from a proxy, a date. Source: RFC 9110 section 10.2.3.
function readRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}

function readProblem(text: string): Schemas['Problem'] | undefined {
  try {
    return ProblemSchema.safeParse(parseJson(text)).data
  } catch {
    return undefined
  }
}
