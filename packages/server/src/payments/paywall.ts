import type { PaidOperationId } from '@touchstone402/shared'
import type { Refusal } from '../lib/problemError.ts'
import type { StoredAnswer } from '../store/claims.ts'

/** One call of a paid operation. */
export type SaleRequest = {
  /** Id of the request, for logs. */
  readonly requestId: string
  readonly operation: PaidOperationId
  /** Method and canonical URL with its query: the only thing the payment buys. */
  readonly binding: string
  /** The `PAYMENT-SIGNATURE` header (x402 v2). */
  readonly paymentSignature: string | undefined
  /** The `X-PAYMENT` header (x402 v1). */
  readonly xPayment: string | undefined
  /** Error in the query, answered free of charge to calls that carry a payment. */
  readonly refusal: Refusal | null
  /** Address or network whose uncharged calls are limited. */
  readonly client: string
  /** Fires when the client disconnects. */
  readonly signal: AbortSignal
}

/** Result of a handler: an answer to charge for, or a free refusal. */
export type Production =
  | { readonly ok: true; readonly answer: StoredAnswer }
  | { readonly ok: false; readonly refusal: Refusal }

/** Result of a call. */
export type SaleOutcome =
  | { readonly kind: 'challenge'; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  | { readonly kind: 'delivered'; readonly answer: StoredAnswer; readonly replayed: boolean }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The client disconnected before the settlement; nothing was charged. */
  | { readonly kind: 'abandoned' }

/** Sells answers. Never rejects: its own faults are refusals, and no answer is delivered unpaid. */
export type Paywall = {
  sell(
    request: SaleRequest,
    produce: (payer: string, signal: AbortSignal) => Promise<Production>,
  ): Promise<SaleOutcome>
}
