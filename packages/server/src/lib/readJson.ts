import { createFetch, type FetchContext, FetchError } from 'ofetch'
import { readBounded } from './readBounded.ts'
import { untilAborted } from './untilAborted.ts'

/** Reads one JSON document of a directory. */
export type ReadJson = (url: string, signal?: AbortSignal) => Promise<unknown>

/** Limits and pauses of reading a directory. */
export type DirectoryPace = {
  /** Timeout of one document with its retries, ms. */
  readonly timeoutMs: number
  /** Maximum size of one document, bytes. */
  readonly maxBytes: number
  /** Pause before the first retry, ms; doubles each time. */
  readonly retryMs: number
  /** Pause between pages, ms. */
  readonly pauseMs: number
}

/** The pace at which the service reads directories. */
export const DIRECTORY_PACE: DirectoryPace = {
  timeoutMs: 60_000,
  maxBytes: 8 * 1024 * 1024,
  retryMs: 500,
  pauseMs: 100,
}

/** Options for reading directories. */
export type DirectoryReadOptions = {
  /** URL or address in the user agent, where directories learn who reads them. */
  readonly contact: string
  readonly pace: DirectoryPace
}

/** A directory behind an HTTP API. */
export type RemoteDirectoryOptions = DirectoryReadOptions & {
  readonly name: string
  /** Base URL of the service. */
  readonly url: string
}

/** Thrown when a directory cannot be read. */
export class DirectoryError extends Error {
  override readonly name = 'DirectoryError'
}

const RETRIES = 3
/** Longer waits fail the read; the next round tries again. */
const MAX_RETRY_AFTER_MS = 30_000

/**
 * Creates a reader for directories that the operator configured. Their URLs are trusted and not address-checked; the
 * URLs they list are checked when they are probed.
 *
 * Retries server errors and 429 up to 3 times, after `Retry-After` if given, else with exponential back-off. Fails if
 * `Retry-After` exceeds 30 s.
 * @throws DirectoryError from the reader, also when the signal aborts
 */
export function createReadJson({ contact, pace }: DirectoryReadOptions): ReadJson {
  const { timeoutMs, maxBytes, retryMs } = pace
  const get = createFetch({
    defaults: {
      headers: { accept: 'application/json', 'user-agent': `Touchstone/0.1 (+${contact})` },
      retry: RETRIES,
      retryDelay: (context) => readRetryAfter(context) ?? backOff(context, retryMs),
      responseType: 'stream',
      onResponseError: async ({ response }) => {
        await response.body?.cancel()
      },
    },
  })
  const read = async (url: string, signal: AbortSignal): Promise<unknown> => {
    const response = await get.raw<unknown, 'stream'>(url, { signal })
    return JSON.parse(await readText(response.body, maxBytes))
  }
  return async (url, signal) => {
    const deadline = AbortSignal.timeout(timeoutMs)
    const ends = signal === undefined ? deadline : AbortSignal.any([deadline, signal])
    try {
      // The pause between retries ignores the signal, so race it.
      return await Promise.race([read(url, ends), untilAborted(ends)])
    } catch (error) {
      if (error instanceof DirectoryError) throw error
      const reason = error instanceof FetchError ? (error.statusCode ?? error.message) : error
      const text = reason instanceof Error ? reason.message : reason
      throw new DirectoryError(`${url} could not be read: ${text}`, { cause: error })
    }
  }
}

/** Reads seconds or a date as ms from now. Source: RFC 9110 section 10.2.3. */
function readRetryAfter({ response }: FetchContext): number | undefined {
  const text = response?.headers.get('retry-after')
  if (text === undefined || text === null) return undefined
  const wait = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now()
  if (!Number.isFinite(wait)) return undefined
  if (wait > MAX_RETRY_AFTER_MS) throw new DirectoryError(`it asks to wait ${Math.round(wait / 1_000)} s`)
  return Math.max(0, wait)
}

function backOff({ options }: FetchContext, retryMs: number): number {
  const attempt = RETRIES - (typeof options.retry === 'number' ? options.retry : RETRIES)
  return retryMs * 2 ** attempt * (1 + Math.random() / 2)
}

async function readText(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<string> {
  if (body === null) throw new DirectoryError('empty page')
  const text = await readBounded({ body }, maxBytes)
  if (text === null) throw new DirectoryError(`page above ${maxBytes} bytes`)
  return text
}
