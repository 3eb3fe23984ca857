import { isSecureUrl, OPERATIONS, type Operation, parseJson, parseQuery } from '@touchstone402/shared'
import type { FetchLike } from '../../types.ts'
import { requestService, ServiceError, ServiceTimeoutError, serviceUrl } from '../serviceApi.ts'
import { TouchstoneClientError, toClientError } from './clientError.ts'
import type { OperationAnswers, OperationQueries } from './contractTypes.ts'

export { type ClientErrorCode, TouchstoneClientError } from './clientError.ts'
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
 * call may be a second payment; `retryAfterSeconds` of the error says when a retry makes sense.
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
      // The error of a paying fetch says why it did not pay.
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
