import type { BudgetLimits, LedgerView } from '../decide/budget.ts'
import type { GuardEvent } from '../events.ts'
import type { ReasonCode } from '../reasons.ts'

/** One payment as a ledger keeps it. */
export type LedgerEntry = {
  id: string
  /** Milliseconds since 1970. */
  at: number
  host: string
  /** Canonical URL of the endpoint. */
  endpoint: string
  /** What makes two calls identical: method and full URL. */
  call: string
  network: string
  asset: string
  payTo: string
  amountAtomic: string
  usdMicros: bigint
  /**
   * `reserved` before the signature exists; `sent` from the moment it may have left; then `committed`, or
   * `unknown` for good. Only a reservation whose payment never left is `released`.
   */
  state: 'reserved' | 'sent' | 'committed' | 'unknown' | 'released'
  /** The settlement's transaction, as the endpoint reports it. */
  transaction: string | null
  /** Whether the call brought anything; null while that is not known. */
  delivered: boolean | null
  /** The authorization that has left, by which the chain can be asked about it; null before. */
  authorization: SentAuthorization | null
}

/** What identifies an authorization on chain. Source: EIP-3009 `authorizationState`. */
export type SentAuthorization = {
  from: string
  nonce: string
  /** Seconds since 1970, as a decimal string. */
  validBefore: string
}

/** A payment that is about to be approved. */
export type ReserveRequest = Pick<
  LedgerEntry,
  'at' | 'host' | 'endpoint' | 'call' | 'network' | 'asset' | 'payTo' | 'amountAtomic' | 'usdMicros'
>

/** What became of a reservation. */
export type LedgerUpdate =
  | { state: 'unknown' | 'released' }
  /** The chain shows that the authorization can no longer be used: its amount was never spent. */
  | { state: 'unused' }
  | { state: 'sent'; authorization: SentAuthorization | null }
  | { state: 'committed'; transaction: string | null }
  | { delivered: boolean }

export type ReserveResult = { ok: true; id: string } | { ok: false; code: ReasonCode }

/** Which payment a view is about. */
export type ViewQuery = Pick<LedgerEntry, 'host' | 'endpoint' | 'call' | 'network' | 'asset'>

/** Remembers spending. Everything but `released` counts as spent. */
export type Ledger = {
  /** Takes in what other processes have written; a ledger that is not shared does nothing. */
  refresh(): Promise<void>
  /** What is known about one prospective payment at the time `now`, in milliseconds since 1970. */
  view(query: ViewQuery, limits: BudgetLimits, now: number): LedgerView
  /** Checks the limits and reserves in one step: nothing else happens in between. */
  reserve(request: ReserveRequest, limits: BudgetLimits): Promise<ReserveResult>
  /** Records what became of a reservation; an update that would move it backwards is ignored. */
  update(id: string, change: LedgerUpdate): Promise<void>
  /** Payments of the last day that have left and whose fate is not known. */
  pending(): LedgerEntry[]
  /** Keeps a decision or a settlement for the record; what it costs must not be waited for. */
  note(event: GuardEvent): void
  /** Atomic amounts spent per network and asset, and dollars (in millionths) over all. */
  totals(): { usdMicros: bigint; byAsset: { network: string; asset: string; amountAtomic: bigint }[] }
}
