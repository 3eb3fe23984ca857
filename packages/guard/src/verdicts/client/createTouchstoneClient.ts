import { OPERATIONS, type Operation } from '@touchstone402/shared'
import { isLoopback } from '../../decide/screen.ts'
import { readBody } from '../../readBody.ts'
import type { FetchLike } from '../../types.ts'
import { TouchstoneClientError, toClientError } from './clientError.ts'
import type { OperationAnswers, OperationQueries } from './contractTypes.ts'
import { encodeQuery } from './encodeQuery.ts'

export { type ClientErrorCode, TouchstoneClientError } from './clientError.ts'
export type * from './contractTypes.ts'

export type TouchstoneClientOptions = {
  /** Base URL of the service; https, except on this machine. */
  url: string
  /** Reaches the service for what is free. @default the global fetch */
  fetch?: FetchLike
  /** A fetch that pays, such as `createGuardedFetch` makes. Without it paid operations are refused before they are sent. */
  pay?: FetchLike
  /** Longest wait for one whole answer, in milliseconds. @default 10000 for what is free, 120000 for what is paid */
  timeoutMs?: number
}

/** What goes for one call. */
export type CallOptions = {
  /** Gives the call up. A paid call that is given up may have been paid. */
  signal?: AbortSignal
}

/** One method for each operation of the contract. */
export type TouchstoneClient = {
  [Name in keyof OperationQueries]: (
    ...given: Record<never, never> extends OperationQueries[Name]
      ? [query?: OperationQueries[Name], options?: CallOptions]
      : [query: OperationQueries[Name], options?: CallOptions]
  ) => Promise<OperationAnswers[Name]>
}

const FREE_TIMEOUT_MS = 10_000
// Writing a large dataset takes the service up to a minute, and its settlement some seconds more.
const PAID_TIMEOUT_MS = 120_000
const MAX_BYTES = 16 * 1024 * 1024
const MAX_SNAPSHOT_BYTES = 384 * 1024 * 1024

/**
 * Makes a client of the trust service from its contract: every query and every answer is checked. It never calls twice
 * by itself: a second call may be a second payment, and when a free one makes sense is for `retryAfterSeconds` to say.
 * @throws TouchstoneClientError `SERVICE_URL_INVALID`; the methods reject with one that says why, or with the error of `pay`
 * @example
 * const client = createTouchstoneClient({ url: 'https://touchstone.example', pay: createGuardedFetch({ account }) })
 * const { verdict } = await client.verify({ endpoint: 'https://api.example.com/weather' })
 * const { uptime } = await client.trustHistory({ endpoint: 'https://api.example.com/weather' })
 */
export function createTouchstoneClient(options: TouchstoneClientOptions): TouchstoneClient {
  const base = readBase(options.url)
  const methods = Object.entries<Operation>(OPERATIONS).map(([id, operation]) => [
    id,
    async (query: Readonly<Record<string, unknown>> = {}, { signal }: CallOptions = {}) => {
      const search = encodeQuery(operation, query)
      const url = `${base}${operation.path}${search === '' ? '' : `?${search}`}`
      return call(operation, url, options, signal)
    },
  ])
  // The loop knows the operations as data; their types come from the same table.
  return Object.fromEntries(methods)
}

async function call(
  operation: Operation,
  url: string,
  { fetch = globalThis.fetch, pay, timeoutMs }: TouchstoneClientOptions,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const isPaid = operation.priceUsd !== null
  if (isPaid && pay === undefined) throw new TouchstoneClientError('NO_PAYING_FETCH')
  const send = isPaid && pay !== undefined ? pay : fetch
  const waitMs = timeoutMs ?? (isPaid ? PAID_TIMEOUT_MS : FREE_TIMEOUT_MS)
  const endsAt = Date.now() + waitMs
  const timeout = AbortSignal.timeout(waitMs)
  const response = await send(url, {
    headers: { accept: 'application/json' },
    // A redirect would let whoever sits before the service choose who answers for it.
    redirect: 'manual',
    signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
  }).catch((cause: unknown) => {
    // What a paying fetch throws says why it did not pay: it reaches the caller as it is.
    if (signal?.aborted || (isPaid && !timeout.aborted)) throw cause
    throw noAnswer(isPaid, cause)
  })
  const maxBytes = 'snapshot' in operation && response.ok ? MAX_SNAPSHOT_BYTES : MAX_BYTES
  const text = await readBody(response, maxBytes, Math.max(1, endsAt - Date.now())).catch((cause) => {
    throw noAnswer(isPaid, cause)
  })
  if (response.status !== 200) throw toClientError(response, text, Date.now())
  return checkAnswer(operation, text)
}

function noAnswer(isPaid: boolean, cause: unknown): TouchstoneClientError {
  const details = isPaid ? 'Whether it was paid is not known.' : undefined
  return new TouchstoneClientError('NO_ANSWER', { details, cause })
}

/** The first answer of the contract that fits; fields that the contract does not know are left out. */
function checkAnswer(operation: Operation, text: string): unknown {
  const body = parseJson(text)
  let cause: unknown
  for (const schema of operation.response) {
    const parsed = schema.safeParse(body)
    if (parsed.success) return parsed.data
    cause = parsed.error
  }
  throw new TouchstoneClientError('ANSWER_INVALID', { status: 200, cause })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new TouchstoneClientError('ANSWER_INVALID', { status: 200, details: 'It is no JSON.', cause })
  }
}

function readBase(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const isSafe =
    parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && isLoopback(parsed.hostname))
  if (parsed === undefined || !isSafe) throw new TouchstoneClientError('SERVICE_URL_INVALID')
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`
}
