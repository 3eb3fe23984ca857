import type { PaidOperationId } from '@touchstone402/shared'
import type { StoredAnswer } from './claims.ts'

/** An answer that is not a success: what a problem document is made of. */
export type Refusal = {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly retryAfterSeconds?: number | undefined
  readonly errors?: readonly { parameter: string; code: string; message: string }[] | undefined
  /** Names a payment whose outcome is not known yet. */
  readonly receipt?: string | undefined
}

/** One call of a paid operation, as the paywall sees it. */
export type SaleRequest = {
  readonly operation: PaidOperationId
  /** Method and canonical URL with its query: what the payment buys. */
  readonly binding: string
  /** The `PAYMENT-SIGNATURE` header (x402 v2). */
  readonly paymentSignature: string | undefined
  /** The `X-PAYMENT` header (x402 v1). */
  readonly xPayment: string | undefined
  /** What is wrong with the query: told to those who pay, and not charged. */
  readonly refusal: Refusal | null
  /** Whom to count attempts against that cost nothing: an address or a network. */
  readonly client: string
  /** Fires when the client has gone. */
  readonly signal: AbortSignal
}

/** What a handler made: an answer to be charged for, or a refusal that is free. */
export type Production =
  | { readonly ok: true; readonly answer: StoredAnswer }
  | { readonly ok: false; readonly refusal: Refusal }

/** How a call ended. */
export type SaleOutcome =
  | { readonly kind: 'challenge'; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  | { readonly kind: 'delivered'; readonly answer: StoredAnswer; readonly replayed: boolean }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The client left before the settlement: nothing was charged and nobody is there to answer. */
  | { readonly kind: 'abandoned' }

/** Sells answers. It never rejects: a fault of its own is a refusal, and nothing is handed out unpaid. */
export type Paywall = {
  sell(
    request: SaleRequest,
    produce: (payer: string, signal: AbortSignal) => Promise<Production>,
  ): Promise<SaleOutcome>
}
