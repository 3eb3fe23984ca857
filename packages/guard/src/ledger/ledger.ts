import type { BudgetLimits, LedgerView } from '../decide/budget.ts'
import type { GuardEvent } from '../events.ts'
import type { ReasonCode } from '../reasons.ts'

/**
 * One payment in a ledger.
 * @example
 * const unresolved: LedgerEntry[] = guard.ledger.pending()
 */
export type LedgerEntry = {
  id: string
  /** Unix time in ms. */
  at: number
  host: string
  /** Registrable domain of the host. */
  domain: string
  /** Canonical URL of the endpoint. */
  endpoint: string
  /** Method and full URL; equal for identical calls. */
  call: string
  network: string
  asset: string
  payTo: string
  amountAtomic: string
  usdMicros: bigint
  /** Whether a full verdict supports the payment; others have a budget of their own. */
  isVouched: boolean
  /** Name of the task that it belongs to, if any. */
  task: string | null
  /**
   * `reserved` before the signature exists, `sent` once it may have left, then `committed` or `unknown`.
   * Only a payment that never left, or that the chain shows as expired and unused, is `released`.
   */
  state: 'reserved' | 'sent' | 'committed' | 'unknown' | 'released'
  /** Hash of the settlement transaction, as the endpoint reports it. */
  transaction: string | null
  /** Whether the call returned content; null while unknown. */
  delivered: boolean | null
  /** The sent authorization; null before. */
  authorization: SentAuthorization | null
}

/** Identifies an authorization on chain. Source: EIP-3009 `authorizationState`. */
export type SentAuthorization = {
  from: string
  nonce: string
  /** Unix time in seconds, as a decimal string. */
  validBefore: string
}

/** A payment to reserve. */
export type ReserveRequest = Pick<
  LedgerEntry,
  | 'at'
  | 'host'
  | 'domain'
  | 'endpoint'
  | 'call'
  | 'network'
  | 'asset'
  | 'payTo'
  | 'task'
  | 'amountAtomic'
  | 'usdMicros'
  | 'isVouched'
>

/** State change of a reservation. */
export type LedgerUpdate =
  | { state: 'unknown' | 'released' }
  /** The authorization expired unused on chain, so its amount was never spent. */
  | { state: 'unused' }
  | { state: 'sent'; authorization: SentAuthorization | null }
  | { state: 'committed'; transaction: string | null }
  | { delivered: boolean }

/** A reservation's id, or the limit that it would exceed. */
export type ReserveResult = { ok: true; id: string } | { ok: false; code: ReasonCode }

/** Identifies the payment of a view. */
export type ViewQuery = Omit<ReserveRequest, 'at' | 'amountAtomic' | 'usdMicros' | 'isVouched'>

/** Spending in millionths of a dollar. */
export type SpendingSum = {
  /** Payments that settled, or that may have. */
  spent: bigint
  /** Payments in flight. */
  reserved: bigint
  /** Unix time in ms of the oldest payment. */
  oldestAt: number
}

/** Spending of the last 24 hours by host, receiver and domain, and over the lifetime in total and by task. */
export type SpendingSummary = {
  /** Keys are `day`, `unknown`, `host <host>`, `payTo <address>` and `unknown <domain>`. Absent keys mean nothing. */
  day: ReadonlyMap<string, SpendingSum>
  total: Omit<SpendingSum, 'oldestAt'>
  tasks: ReadonlyMap<string, bigint>
}

/**
 * Paid calls to an endpoint without delivery since its last delivery.
 * @example
 * const hosts = (strikes: Strike[]) => strikes.map(({ endpoint }) => new URL(endpoint).host)
 */
export type Strike = {
  /** Canonical URL of the endpoint. */
  endpoint: string
  /** Times of the payments, in ms since 1970. */
  at: number[]
}

/**
 * The first receiver paid at an endpoint in an asset.
 * @example
 * const receivers = (pins: Pin[]) => pins.map(({ payTo }) => payTo)
 */
export type Pin = { endpoint: string; network: string; asset: string; payTo: string }

/**
 * Stores spending. All states but `released` count as spent.
 * @example
 * const spentUsd = (ledger: Ledger) => Number(ledger.totals().usdMicros) / 1e6
 */
export type Ledger = {
  /** Reloads entries written by other processes. No-op for ledgers that are not shared. */
  refresh(): Promise<void>
  /** Returns spending, strikes and the pin that concern one prospective payment. `now` is Unix time in ms. */
  view(query: ViewQuery, limits: BudgetLimits, now: number): LedgerView
  /** Checks the limits and reserves atomically. */
  reserve(request: ReserveRequest, limits: BudgetLimits): Promise<ReserveResult>
  /** Changes the state of a reservation. Backward transitions are ignored. */
  update(id: string, change: LedgerUpdate): Promise<void>
  /** Returns sent payments of the last day that are not resolved. */
  pending(): LedgerEntry[]
  /** Returns spending at `now`, Unix time in ms. */
  summary(now: number): SpendingSummary
  strikes(): Strike[]
  pins(): Pin[]
  /** Removes the strikes or pins of all endpoints of a host. */
  clear(kind: 'strikes' | 'pins', host: string): Promise<void>
  /** Stops or resumes payments in every process that shares the ledger; `reserve` then refuses with `STOPPED`. */
  setStopped(isStopped: boolean): Promise<void>
  isStopped(): Promise<boolean>
  /** Appends an audit record. Must not block the payment path. */
  note(event: GuardEvent): void
  /** Returns the atomic amounts spent per network and asset, and the total in millionths of a dollar. */
  totals(): { usdMicros: bigint; byAsset: { network: string; asset: string; amountAtomic: bigint }[] }
}
