import type {
  FreeOperationId,
  OPERATIONS,
  OperationId,
  PaidOperationId,
  QueryOf,
  SnapshotOperationId,
} from '@touchstone402/shared'
import type * as z from 'zod/mini'
import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import type { KeySet } from '../keys/signer.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { Refusal } from '../lib/problemError.ts'
import type { Paywall } from '../payments/paywall.ts'
import type { SoldTokens } from '../tokens/soldTokens.ts'
import type { Snapshot, Snapshots } from './answers/snapshots.ts'
import type { AnswerCache } from './free/answerCache.ts'

/** The valid query of an operation, with defaults. */
export type OperationQuery<Id extends OperationId> = QueryOf<(typeof OPERATIONS)[Id]['query']>

/** A deeply read-only value. */
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T

/** The body of an operation's 200. */
export type OperationAnswer<Id extends OperationId> = Frozen<
  z.infer<(typeof OPERATIONS)[Id]['response'][number]>
>

/** An answer of a free operation. */
export type FreeAnswer<Id extends FreeOperationId> = {
  body: OperationAnswer<Id>
  /** Unix time in ms by the audit's clock; no cache may hold the answer longer. */
  expiresAt?: number | undefined
  /**
   * Returns whether the answer would come out the same; must be cheap. If given, the answer is cached until this turns
   * false, but at most until `madeAgainAt`. @default the answer is not cached
   */
  isCurrent?: () => boolean
  /** Unix time in ms by the audit's clock from which a cached answer is made again. @default the next full minute */
  madeAgainAt?: number | undefined
}

/** Answers a free operation. */
export type FreeHandler<Id extends FreeOperationId> = (query: OperationQuery<Id>) => Promise<FreeAnswer<Id>>

/** A paid answer: a body, or a snapshot if it may be too large for memory. */
export type PaidAnswer<Id extends PaidOperationId> =
  | OperationAnswer<Id>
  | (Id extends SnapshotOperationId ? Snapshot : never)

/** Answers a paid operation. The signal aborts on disconnect and at the deadline; the payer is an address. */
export type PaidHandler<Id extends PaidOperationId> = (
  query: OperationQuery<Id>,
  context: { signal: AbortSignal; payer: string },
) => Promise<PaidAnswer<Id>>

export type FreeAnswers = { [Id in FreeOperationId]: FreeHandler<Id> }
export type PaidAnswers = { [Id in PaidOperationId]: PaidHandler<Id> }

/** Handlers of all operations. All may throw a `ProblemError`, such as 404 for an unknown endpoint. */
export type Answers = FreeAnswers & PaidAnswers

/** A request of a page. */
export type PageRequest = {
  /** Named segments of the path, decoded. */
  params: Readonly<Record<string, string>>
  /** The raw query string without its `?`. */
  search: string
  /** By the path or the `Accept` header. If they name neither, HTML for GET and JSON for POST. */
  accepts: 'html' | 'json'
  /** An IPv4 address or an IPv6 /64. */
  client: string
}

/** A form that was sent to a page. */
export type PostRequest = PageRequest & {
  /** By name: at most 32, of 16 KiB together. */
  fields: ReadonlyMap<string, string>
}

export type PageAnswer = {
  status?: number
  /** Content type, with the charset of text. */
  type: string
  body: string | Uint8Array
  /** Target of a 303. */
  location?: string
  /** Seconds after which a browser loads the page again. @default never */
  refreshSeconds?: number
  /** Sent as `Retry-After` with a 429 or 503. @default none */
  retryAfterSeconds?: number | undefined
  /** @default 60 */
  maxAgeSeconds?: number
  /** Keeps it out of search engines. @default false */
  isUnlisted?: boolean
  /** Holds something for this client alone: no cache may hold it, ours included. @default false */
  isSecret?: boolean
  /** As in {@link FreeAnswer}. */
  expiresAt?: number | undefined
  /** Common headers, names and values in turn. @default those of all pages */
  headers?: readonly string[]
}

/** Pages that browsers get instead of problem documents and payment challenges. */
export type ErrorPages = {
  /** @param target the request target */
  refusal(refusal: Refusal, target: string): string
  payment(call: UnpaidCall): string
}

/** An unpaid call of a paid operation. */
export type UnpaidCall = {
  readonly operation: PaidOperationId
  /** The raw query string without its `?`. */
  readonly search: string
  /** Refusal of an invalid query; null if it is valid. */
  readonly refusal: Refusal | null
  /** The `PAYMENT-REQUIRED` header: terms of x402 v2, in base64. */
  readonly terms: string
}

/** A page or document outside the contract. */
export type Page = {
  path: string
  handler: (request: PageRequest) => Promise<PageAnswer> | PageAnswer
  /** Whether concurrent equal requests share one answer, which must not depend on the client. @default false */
  isShared?: boolean
  /** Takes a form or a flat JSON object. @default POST is 405 */
  post?: (request: PostRequest) => Promise<PageAnswer> | PageAnswer
}

/** One request for metrics and logs: no query, no headers, no address beyond the key of rate limits. */
export type RequestRecord = {
  /** As in the response. */
  readonly requestId: string
  /** Mounted path, such as `/services/:host`; `none` if there is no route. */
  readonly route: string
  readonly method: string
  readonly status: number
  readonly durationMs: number
  /** An IPv4 address or an IPv6 /64. */
  readonly client: string
  readonly fromMemory: boolean
  /** The client disconnected before the answer was sent. */
  readonly isAborted: boolean
}

/**
 * Readiness of this process, and the checks behind it. `degraded` is 200: what is outside of the process fails for others
 * too, so a load balancer would take all of them out at once.
 */
export type Readiness = {
  readonly status: 'ready' | 'degraded' | 'not_ready'
  readonly checks: Readonly<Record<string, string>>
}

/** The parts of the service that the app serves. */
export type HttpParts = {
  readonly answers: Answers
  readonly paywall: Paywall
  readonly pages: readonly Page[]
  readonly errorPages: ErrorPages
  /** Returns the public keys of signed decisions. */
  readonly jwks: () => Promise<KeySet>
  readonly snapshots: Pick<Snapshots, 'open'>
  /** Free answers in memory. */
  readonly cache: AnswerCache
  /** Answers `/readyz` at once, from kept state. */
  readonly readiness: () => Readiness
  /** Notes the token of each paid answer about one, once it is settled. */
  readonly soldTokens: Pick<SoldTokens, 'note'>
  /** Called after each answer, except for requests that Node could not parse. */
  readonly onRequest: ((record: RequestRecord) => void) | undefined
}

/** Context of the app. The Host header is never used; `publicUrl` takes its place. */
export type HttpContext = Pick<Context, 'clock' | 'log' | 'stopping' | 'store'> & {
  readonly metrics: Pick<Metrics, 'request'>
  readonly config: Pick<Config, 'prices' | 'publicUrl' | 'rateLimitPerMinute' | 'trustProxy'>
}
