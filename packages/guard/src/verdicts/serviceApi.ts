import { parseJson } from '@touchstone402/shared'

import { readBody } from '../readBody.ts'
import type { FetchLike } from '../types.ts'

/** One GET request to the trust service. */
export type ServiceRequest = {
  fetch: FetchLike
  url: string
  /** Timeout of the whole answer, body included, in ms. */
  timeoutMs: number
  signal?: AbortSignal | undefined
}

/** A request to the service failed. The message contains no text of the service. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
}

/** A request to the service timed out. */
export class ServiceTimeoutError extends ServiceError {}

const MAX_BYTES = 256 * 1024

/**
 * Sends one request to the service, without retries.
 * @throws ServiceError with the rejection of `fetch` as its cause; RangeError if `timeoutMs` is no whole number
 */
export async function requestService({ fetch, url, timeoutMs, signal }: ServiceRequest) {
  const endsAt = Date.now() + timeoutMs
  const timeout = AbortSignal.timeout(timeoutMs)
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    // A redirect would let a proxy choose who answers for the service.
    redirect: 'manual',
    signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
  }).catch((cause: unknown) => {
    const Failure = timeout.aborted ? ServiceTimeoutError : ServiceError
    throw new Failure(`${describeOrigin(url)} did not answer.`, { cause })
  })
  return {
    response,
    /** Reads the body. Throws a ServiceError above `maxBytes` or after the timeout. */
    readText: (maxBytes = MAX_BYTES) =>
      readBody(response, maxBytes, Math.max(1, endsAt - Date.now())).catch((cause: unknown) => {
        throw new ServiceError("The service's answer was too long or too slow.", { cause })
      }),
  }
}

/**
 * Reads a successful JSON answer of the service.
 * @throws ServiceError
 */
export type ReadService = (path: string, query?: Readonly<Record<string, string>>) => Promise<unknown>

/**
 * Creates a reader of JSON answers. `url` is the base URL of the service.
 * @param hear receives the headers of each answer
 */
export function createServiceReader(
  { url, ...options }: ServiceRequest,
  hear: (headers: Headers) => void = () => {},
): ReadService {
  return async (path, query = {}) => {
    const { response, readText } = await requestService({ ...options, url: serviceUrl(url, path, query) })
    hear(response.headers)
    if (response.status !== 200) {
      response.body?.cancel().catch(() => {})
      throw new ServiceError(describeStatus(url, response.status))
    }
    const text = await readText()
    try {
      return parseJson(text)
    } catch {
      throw new ServiceError("The service's answer is not JSON.")
    }
  }
}

/** Returns the URL of a path of the service. `base` may have a path. */
export function serviceUrl(base: string, path: string, query: Readonly<Record<string, string>> = {}): string {
  const { origin, pathname } = new URL(base)
  const search = new URLSearchParams(query).toString()
  return `${origin}${pathname.replace(/\/+$/, '')}${path}${search === '' ? '' : `?${search}`}`
}

/** Names the service that a URL leads to. */
export const describeOrigin = (url: string) => `The service at ${new URL(url).origin}`

/** Describes an unexpected answer of a service. */
export function describeStatus(url: string, status: number): string {
  const hint = status === 404 ? '; is it a Touchstone service?' : '.'
  return `${describeOrigin(url)} answered with status ${status}${hint}`
}
