import type {
  FreeOperationId,
  OPERATIONS,
  OperationId,
  PaidOperationId,
  QueryOf,
  SnapshotOperationId,
} from '@touchstone402/shared'
import type * as z from 'zod/mini'
import type { Clock } from '../ports/clock.ts'
import type { Paywall } from '../ports/paywall.ts'
import type { Snapshot, Snapshots } from '../ports/snapshots.ts'

/** The valid query of an operation, defaults filled in. */
export type OperationQuery<Id extends OperationId> = QueryOf<(typeof OPERATIONS)[Id]['query']>

/** A value as it is read: what makes an answer need not hand out lists that others may change. */
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T

/** The body of a 200 of an operation. */
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
   * false, but at most to the end of the minute. @default the answer is not cached
   */
  isCurrent?: () => boolean
}

/** Answers a free operation, synchronously if possible. */
export type FreeHandler<Id extends FreeOperationId> = (
  query: OperationQuery<Id>,
) => Promise<FreeAnswer<Id>> | FreeAnswer<Id>

/** A paid answer: a body, or where that may be too large for memory the snapshot that holds it. */
export type PaidAnswer<Id extends PaidOperationId> =
  | OperationAnswer<Id>
  | (Id extends SnapshotOperationId ? Snapshot : never)

/** Answers one paid operation. The signal fires when the client has gone or the deadline has passed; the payer is an address. */
export type PaidHandler<Id extends PaidOperationId> = (
  query: OperationQuery<Id>,
  context: { signal: AbortSignal; payer: string },
) => Promise<PaidAnswer<Id>>

export type FreeAnswers = { [Id in FreeOperationId]: FreeHandler<Id> }
export type PaidAnswers = { [Id in PaidOperationId]: PaidHandler<Id> }

/** What answers each operation. All may throw a `ProblemError`, such as 404 for what was never seen. */
export type Answers = FreeAnswers & PaidAnswers

/** What a page is asked for. */
export type PageRequest = {
  /** Named segments of the path, decoded. */
  params: Readonly<Record<string, string>>
  /** The raw query string without its `?`. */
  search: string
  /** By the `Accept` header; JSON where it names neither. */
  accepts: 'html' | 'json'
  /** Whoever asks, as limits count: an IPv4 address or an IPv6 /64. */
  client: string
}

export type PageAnswer = {
  status?: number
  /** With its charset where it is text. */
  type: string
  body: string | Uint8Array
  /** Where a 303 leads. */
  location?: string
  /** @default 60 */
  maxAgeSeconds?: number
  /** As in {@link FreeAnswer}. */
  expiresAt?: number | undefined
}

/** A page or document outside the contract. */
export type Page = { path: string; handler: (request: PageRequest) => Promise<PageAnswer> | PageAnswer }

export type RateLimit = {
  /** Calls per window and client: an IPv4 address or an IPv6 /64. */
  points: number
  windowSeconds: number
}

/** One request as metrics and logs see it: no query, no headers, no address beyond what limits go by. */
export type RequestRecord = {
  /** Path as mounted, such as `/services/:host`; `none` where nothing is. */
  readonly route: string
  readonly method: string
  readonly status: number
  /** 0 where the answer lay ready. */
  readonly durationMs: number
  /** An IPv4 address or an IPv6 /64. */
  readonly client: string
  readonly fromMemory: boolean
  /** The client left before the answer was sent. */
  readonly isAborted: boolean
}

/** Whether the service is fit to be asked, and what that was judged by. */
export type Readiness = { isReady: boolean; checks: Readonly<Record<string, string>> }

export type HttpDeps = {
  answers: Answers
  paywall: Paywall
  pages?: readonly Page[]
  /** The audit's clock: how long answers stay valid. Time limits are real time. */
  clock: Pick<Clock, 'now'>
  /** Origin under which the service is reached, such as `https://trust.example`; the Host header is never used. */
  publicUrl: string
  /** The public keys of signed decisions. */
  jwks: () => { keys: Record<string, unknown>[] }
  /** Running prices in dollars as decimal strings. @default those of the contract */
  prices?: Readonly<Partial<Record<PaidOperationId, string>>>
  /** Limit on free calls. @default 600 in 60 s */
  rateLimit?: RateLimit
  /** Express' `trust proxy`: how many proxies stand in front, or their addresses. @default false */
  trustProxy?: boolean | number | string[]
  /** How long a handler may take. @default 10000 */
  deadlineMs?: number
  /** The same for operations whose answers are written to disk. @default 60000 */
  snapshotDeadlineMs?: number
  /** Where such answers are. @default none: whoever asks for one is told that it is gone */
  snapshots?: Pick<Snapshots, 'open'>
  /** Memory for ready-made free answers, in bytes. @default 256 MiB */
  cacheBytes?: number
  /** Answers `/readyz`. @default ready as soon as it listens */
  readiness?: () => Promise<Readiness> | Readiness
  /** Told of every request after its answer, but for those that Node refuses, such as what is no HTTP or too large. */
  onRequest?: (record: RequestRecord) => void
  /** Told of every fault that became a 500. */
  onError?: (error: unknown) => void
}
