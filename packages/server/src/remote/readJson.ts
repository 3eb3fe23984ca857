import { createFetch, type FetchContext, FetchError } from 'ofetch'

/** Reads one JSON document of a directory. */
export type ReadJson = (url: string, signal?: AbortSignal) => Promise<unknown>

/** How directories are read. */
export type DirectoryReadOptions = {
  /** Where a directory learns who reads it: a URL or an address, shown in the user agent. */
  readonly contact: string
  /** @default the global fetch */
  readonly fetch?: typeof fetch
  /** For one document with its retries, ms. @default 60000 */
  readonly timeoutMs?: number
  /** @default 8 MiB */
  readonly maxBytes?: number
  /** First pause before another attempt, ms; it doubles. @default 500 */
  readonly retryMs?: number
}

/** A directory of a facilitator or an index. */
export type RemoteDirectoryOptions = DirectoryReadOptions & {
  readonly name: string
  /** Where the service lives, without the path of its API. */
  readonly url: string
  /** Between pages, ms. @default 100 */
  readonly pauseMs?: number
}

/** A directory that could not be read. */
export class DirectoryError extends Error {
  override readonly name = 'DirectoryError'
}

const RETRIES = 3
/** Who asks for more is asked again in the next round. */
const MAX_RETRY_AFTER_MS = 30_000

/**
 * Creates the reader of operator-configured directories. Their addresses are configuration and are dialled as they
 * are; what they list goes through the prober's address guard.
 *
 * Faults and 429 are retried 3 times, after `Retry-After` where it is given, else after a growing pause. A wait of
 * more than 30 s ends the reading.
 * @throws DirectoryError from what it creates, the signal's end included
 */
export function createReadJson(options: DirectoryReadOptions): ReadJson {
  const { contact, timeoutMs = 60_000, maxBytes = 8 * 1024 * 1024, retryMs = 500 } = options
  const get = createFetch({
    fetch: options.fetch ?? globalThis.fetch,
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
      return await Promise.race([read(url, ends), untilAborted(ends)])
    } catch (error) {
      if (error instanceof DirectoryError) throw error
      const reason = error instanceof FetchError ? (error.statusCode ?? error.message) : error
      throw new DirectoryError(
        `${url} could not be read: ${reason instanceof Error ? reason.message : reason}`,
        {
          cause: error,
        },
      )
    }
  }
}

/** The pause between two attempts knows no signal, so the end is waited for beside it. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** Seconds or a date, as milliseconds from now. Source: RFC 9110 section 10.2.3. */
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
  if (body === null) throw new DirectoryError('a page is empty')
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > maxBytes) {
      await reader.cancel()
      throw new DirectoryError(`a page is above ${maxBytes} bytes`)
    }
    chunks.push(value)
  }
  return Buffer.concat(chunks).toString('utf8')
}
