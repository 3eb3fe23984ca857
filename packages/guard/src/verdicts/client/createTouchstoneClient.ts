import {
  isSecureUrl,
  OPERATIONS,
  type Operation,
  ProblemSchema,
  parseJson,
  parseQuery,
} from '@touchstone402/shared'
import type { FetchLike } from '../../types.ts'
import { requestService, ServiceError, ServiceTimeoutError, serviceUrl } from '../serviceApi.ts'
import type { OperationAnswers, OperationQueries, Schemas } from './contractTypes.ts'

export type { OperationAnswers, OperationQueries, Schemas } from './contractTypes.ts'

/**
 * Options of {@link createTouchstoneClient}.
 * @example
 * const options: TouchstoneClientOptions = { url: 'https://touchstone.example', timeoutMs: 5000 }
 */
export type TouchstoneClientOptions = {
  /** Base URL of the service; https, except on this machine. */
  url: string
  /** Sends free requests. @default the global fetch */
  fetch?: FetchLike
  /** Sends paid requests, such as the fetch of `createGuardedFetch`. Without it paid operations fail before they are sent. */
  pay?: FetchLike
  /** Timeout of one whole answer in ms. @default 10000 for free and 120000 for paid operations */
  timeoutMs?: number
}

/**
 * Options of one call.
 * @example
 * const options: CallOptions = { signal: AbortSignal.timeout(2000) }
 */
export type CallOptions = {
  /** Aborts the call. An aborted paid call may have been paid. */
  signal?: AbortSignal
}

/**
 * One method per operation of the contract.
 * @example
 * const readUptime = async (client: TouchstoneClient, endpoint: string) =>
 *   (await client.trustHistory({ endpoint })).uptime
 */
export type TouchstoneClient = {
  [Name in keyof OperationQueries]: (
    ...given: Record<never, never> extends OperationQueries[Name]
      ? [query?: OperationQueries[Name], options?: CallOptions]
      : [query: OperationQueries[Name], options?: CallOptions]
  ) => Promise<OperationAnswers[Name]>
}

const FREE_TIMEOUT_MS = 10_000
// A large dataset takes the service up to a minute, and its settlement some seconds more.
const PAID_TIMEOUT_MS = 120_000
const MAX_BYTES = 16 * 1024 * 1024
const MAX_SNAPSHOT_BYTES = 384 * 1024 * 1024

/**
 * Creates a typed client of the trust service that validates every query and answer. It never retries, since a second
 * call may be a second payment; `retryAfterSeconds` of the error is the time until a retry makes sense.
 * @throws TouchstoneClientError `SERVICE_URL_INVALID`; the methods reject with one too, or with the error of `pay`
 * @example
 * const client = createTouchstoneClient({ url: 'https://touchstone.example', pay: createGuardedFetch({ account }) })
 * const { verdict } = await client.verify({ endpoint: 'https://api.example.com/weather' })
 * const { uptime } = await client.trustHistory({ endpoint: 'https://api.example.com/weather' })
 */
export function createTouchstoneClient(options: TouchstoneClientOptions): TouchstoneClient {
  if (!isSecureUrl(options.url)) throw new TouchstoneClientError('SERVICE_URL_INVALID')
  const methods = Object.entries<Operation>(OPERATIONS).map(([id, operation]) => [
    id,
    async (query: Readonly<Record<string, unknown>> = {}, { signal }: CallOptions = {}) => {
      const url = serviceUrl(options.url, operation.path, encodeQuery(operation, query))
      return call(operation, url, options, signal)
    },
  ])
  // The types of the methods come from the same table as the loop.
  return Object.fromEntries(methods)
}

async function call(
  operation: Operation,
  url: string,
  { fetch: free = globalThis.fetch, pay, timeoutMs }: TouchstoneClientOptions,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const isPaid = operation.priceUsd !== null
  if (isPaid && pay === undefined) throw new TouchstoneClientError('NO_PAYING_FETCH')
  const fetch = isPaid && pay !== undefined ? pay : free
  const waitMs = timeoutMs ?? (isPaid ? PAID_TIMEOUT_MS : FREE_TIMEOUT_MS)
  const noAnswer = ({ cause }: Error) => {
    const details = isPaid ? 'The payment may have been made.' : undefined
    return new TouchstoneClientError('NO_ANSWER', { details, cause })
  }
  const { response, readText } = await requestService({ fetch, url, timeoutMs: waitMs, signal }).catch(
    (error: Error) => {
      if (!(error instanceof ServiceError)) throw error
      // The error of a paying fetch states why it did not pay.
      if (signal?.aborted || (isPaid && !(error instanceof ServiceTimeoutError))) throw error.cause
      throw noAnswer(error)
    },
  )
  const maxBytes = 'snapshot' in operation && response.ok ? MAX_SNAPSHOT_BYTES : MAX_BYTES
  const text = await readText(maxBytes).catch((error: Error) => {
    throw noAnswer(error)
  })
  if (response.status !== 200) throw toClientError(response, text, Date.now())
  return checkAnswer(operation, text)
}

/** Validates an answer against the schemas of its operation; drops unknown fields. */
function checkAnswer(operation: Operation, text: string): unknown {
  const body = readJson(text)
  let cause: unknown
  for (const schema of operation.response) {
    const parsed = schema.safeParse(body)
    if (parsed.success) return parsed.data
    // A flag of a later score version does not make the answer invalid.
    const isNewer = parsed.error.issues.every(
      ({ code, path }) => code === 'invalid_value' && path.some((part) => /^flag/i.test(String(part))),
    )
    if (isNewer) return body
    cause = parsed.error
  }
  throw new TouchstoneClientError('ANSWER_INVALID', { status: 200, cause })
}

function readJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    throw new TouchstoneClientError('ANSWER_INVALID', { status: 200, details: 'It is not JSON.', cause })
  }
}

/**
 * Encodes the query of an operation, validated by the rules of the service before anything is sent or paid.
 * URLs are sent in canonical form, without their own query.
 * @throws TouchstoneClientError `QUERY_INVALID`, naming each invalid parameter
 */
function encodeQuery(operation: Operation, given: Readonly<Record<string, unknown>>): Record<string, string> {
  const known = Object.keys(given).filter((name) => given[name] !== undefined)
  const unknown = known.filter((name) => !Object.hasOwn(operation.query, name))
  if (unknown.length > 0) throw invalid(`There is no parameter ${unknown.join(', ')}.`)
  const written = new URLSearchParams(known.map((name) => [name, writeValue(given[name])]))
  const parsed = parseQuery(operation.query, written.toString())
  if (!parsed.ok) throw invalid(`${parsed.errors.map(({ message }) => message).join('; ')}.`)
  const values: Readonly<Record<string, unknown>> = parsed.value
  // The service fills in the defaults of omitted parameters.
  return Object.fromEntries(known.map((name) => [name, writeValue(values[name])]))
}

const invalid = (details: string) => new TouchstoneClientError('QUERY_INVALID', { details })

const writeValue = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? '1' : '0') : String(value)

/** Sentence of each failure of a client call. */
const CLIENT_FAULTS = {
  SERVICE_URL_INVALID: 'The service URL must be an https URL, or an http URL on this machine.',
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
type ClientErrorDetails = {
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
function toClientError(response: Response, text: string, now: number): TouchstoneClientError {
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
