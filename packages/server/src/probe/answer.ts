import type { HeaderLine } from '../facts/clientIdentities.ts'

/** A request of the prober. */
export type GuardedRequest = {
  readonly url: string
  readonly method: string
  /** Header lines in the order and case of the client, for the URL and the body. */
  readonly lines: (url: URL, body: string | null) => readonly HeaderLine[]
  readonly body: string | null
}

/** The answer to one request. Header names are lower case; repeated headers are joined as `fetch` joins them. */
export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Raw bytes, still encoded; empty if not wanted. */
  readonly body: Buffer
  /** Whether the body was truncated at the limit. */
  readonly isTooLarge: boolean
  /** From connecting to the first header, ms. */
  readonly latencyMs: number
}

/** Decides by the status and headers of an answer whether its body is read. */
export type ReadsBody = (head: Pick<Answer, 'status' | 'headers'>) => boolean

/** Limits of one exchange. */
export type ExchangeLimits = {
  readonly signal: AbortSignal
  /** Maximum body size in bytes. */
  readonly maxBytes: number
  /** Whether the body of an answer is read. If not, the connection is closed at the headers. */
  readonly readsBody: ReadsBody
}

/** Fits a 64 KiB challenge header and all others. */
export const MAX_HEADER_BYTES = 80 * 1024
