import { REASONS, type ReasonCode } from './reasons.ts'
import type { CheckedVerdict, OfferProof, PaymentIntent, PaymentReceipt } from './types.ts'

/**
 * A decision or a settlement. Contains no secret, no query of a URL and no text of a seller.
 * @example
 * const guard = createGuard({
 *   onDecision: ({ type, endpoint, code }: GuardEvent) => console.log(type, endpoint, code),
 * })
 */
export type GuardEvent = {
  /**
   * `resent`: an unresolved payment was sent again instead of a new one. `unseen`: an answer names a payment that the guard did not see. Either a
   * payment library stands below the guard and pays by itself, or the seller has sent the header without a payment.
   * `ledger_in_memory`: the file of the ledger cannot be written, so spending is forgotten at the end of the process.
   * `foreign_credential`: a request carries an L402 token that the caller has set. `signed_in`: the wallet signed in to
   * an origin that asked for it, by the x402 extension sign-in-with-x.
   */
  type:
    | 'allowed'
    | 'refused'
    | 'settled'
    | 'unsettled'
    | 'resent'
    | 'unseen'
    | 'ledger_in_memory'
    | 'foreign_credential'
    | 'signed_in'
  /** Unix time in ms. */
  at: number
  /** Reason of a refusal; otherwise null. */
  code: ReasonCode | null
  /** The sentence of the code, or the subject of the event. */
  reason: string | null
  /** What would allow a refused payment, see `RefusalFacts`; null if that is not a matter of permission. */
  allowedBy: string | null
  /** Canonical URL: scheme, host, port and path. */
  endpoint: string | null
  method: string
  payment: Omit<PaymentIntent, 'url' | 'endpoint' | 'host' | 'method'> | null
  /** Id of an allowed payment, for `guard.resolve`. */
  paymentId: string | null
  /** Name of the agent that it concerns, see `guard.agent`; null for the owner's own programs. */
  agent: string | null
  /** The signed verdict behind the decision. */
  verdict: CheckedVerdict | null
  /** Hash of the settlement transaction, as the endpoint reports it. */
  transaction: string | null
  /** The seller's signature over the terms of an allowed payment, if it has given one. */
  offerProof: OfferProof | null
  /** The signed receipt of a settled payment. */
  receipt: PaymentReceipt | null
  /** The `traceparent` header of the request. */
  traceparent: string | null
}

/** Receives events of a guard. Its errors and rejections are ignored. */
export type EventListener = (event: GuardEvent) => unknown

/** Content of an event; endpoint and method default to those of the intent. */
export type EventParts = Pick<GuardEvent, 'type'> & {
  [K in Exclude<keyof GuardEvent, 'type' | 'at' | 'payment'>]?: GuardEvent[K] | undefined
} & { intent?: PaymentIntent | undefined }

// Source: W3C Trace Context, section 3.2.
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** Creates an event field by field, so that no other data leaks into it. */
export function createEvent(parts: EventParts, at: number): GuardEvent {
  const { type, intent, verdict = null, code = null, transaction = null, traceparent = null } = parts
  return Object.freeze({
    type,
    at,
    code,
    reason: parts.reason ?? (code === null ? null : REASONS[code]),
    allowedBy: parts.allowedBy ?? null,
    endpoint: parts.endpoint ?? intent?.endpoint ?? null,
    method: parts.method ?? intent?.method ?? '',
    payment: intent === undefined ? null : toPayment(intent),
    paymentId: parts.paymentId ?? null,
    agent: parts.agent ?? null,
    verdict,
    transaction,
    offerProof: parts.offerProof ?? null,
    receipt: parts.receipt ?? null,
    traceparent: traceparent !== null && TRACEPARENT.test(traceparent) ? traceparent : null,
  })
}

function toPayment(intent: PaymentIntent): GuardEvent['payment'] {
  const { network, asset, payTo, scheme, facilitator, amountAtomic, amountUsd, maxTimeoutSeconds } = intent
  const terms = { network, asset, payTo, scheme, facilitator }
  return Object.freeze({ ...terms, amountAtomic, amountUsd, maxTimeoutSeconds })
}

/** Facts that are counted where they happen; the other counters come from events and the ledger. */
type Counted =
  | 'paid'
  | 'liveChecks'
  | 'asked'
  | 'approved'
  | 'verdictRequests'
  | 'verdictFailures'
  | 'cacheHits'

/** Increments a counter. */
export type Count = (name: Counted) => void
