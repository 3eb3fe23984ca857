import { ProblemSchema } from '@touchstone402/shared'
import type { Schemas } from './contractTypes.ts'

type Problem = Schemas['Problem']

/** Every way in which a call of the client can fail, with the one sentence that belongs to it. */
export const CLIENT_FAULTS = {
  SERVICE_URL_INVALID: 'The address of the service has to be an https URL, or an http one on this machine.',
  QUERY_INVALID: 'The query breaks a rule of the operation; nothing was sent.',
  NO_PAYING_FETCH: 'The operation is paid, and the client was made without a fetch that pays.',
  PAYMENT_REQUIRED: 'The service wants to be paid: the payment was not made, or not accepted.',
  NOT_FOUND: 'The service knows of no such thing.',
  CONFLICT: 'The same payment is still being worked on.',
  RATE_LIMITED: 'The service was called too often.',
  UNAVAILABLE: 'The service cannot answer at present.',
  REFUSED: 'The service refused the call.',
  NO_ANSWER: 'The service did not answer in time, or could not be reached.',
  ANSWER_INVALID: 'The answer of the service is not what the contract promises.',
} as const

/** A literal code that says why a call failed. */
export type ClientErrorCode = keyof typeof CLIENT_FAULTS

/** What an error of the client may carry besides its code. */
export type ClientErrorDetails = {
  /** One more plain sentence, in the client's own words. */
  details?: string | undefined
  status?: number | undefined
  retryAfterSeconds?: number | undefined
  problem?: Problem | undefined
  cause?: unknown
}

/** The error of every call that did not come to an answer. */
export class TouchstoneClientError extends Error {
  override readonly name = 'TouchstoneClientError'
  /** Why, as a literal that can be switched on. */
  readonly code: ClientErrorCode
  /** The HTTP status; absent where there was no answer. */
  readonly status: number | undefined
  /** How long the service asks to be left alone, in seconds. */
  readonly retryAfterSeconds: number | undefined
  /** What the service said, as data (RFC 9457); no part of the message. */
  readonly problem: Problem | undefined

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

/** Makes the error of an answer that is no success. */
export function toClientError(response: Response, text: string, now: number): TouchstoneClientError {
  const { status, headers } = response
  return new TouchstoneClientError(CODES[status] ?? 'REFUSED', {
    details: `Status ${status}.`,
    status,
    retryAfterSeconds: readRetryAfter(headers.get('Retry-After'), now),
    problem: readProblem(text),
  })
}

// Source: RFC 9110 section 10.2.3; a proxy may write a date where the service writes seconds.
function readRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}

function readProblem(text: string): Problem | undefined {
  try {
    return ProblemSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
