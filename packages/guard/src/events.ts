import { REASONS, type ReasonCode } from './reasons.ts'
import type { CheckedVerdict, PaymentIntent } from './types.ts'

/** Something that the guard decided or saw. Holds no secret, no query of a URL and no text of a seller. */
export type GuardEvent = {
  type: 'allowed' | 'refused' | 'settled' | 'unsettled'
  /** Milliseconds since 1970. */
  at: number
  /** Why it was refused; null otherwise. */
  code: ReasonCode | null
  /** The sentence that belongs to the code. */
  reason: string | null
  /** Canonical URL: scheme, host, port and path. */
  endpoint: string | null
  method: string
  payment: Omit<PaymentIntent, 'url' | 'endpoint' | 'host' | 'method'> | null
  /** The signed verdict that the decision rests on. */
  verdict: CheckedVerdict | null
  /** The settlement's transaction, as the endpoint reports it. */
  transaction: string | null
  /** The `traceparent` header of the request. */
  traceparent: string | null
}

export type EventListener = (event: GuardEvent) => void

/** What an event is made of. */
export type EventParts = {
  type: GuardEvent['type']
  at: number
  code?: ReasonCode
  endpoint: string | null
  method: string
  intent?: PaymentIntent | undefined
  verdict?: CheckedVerdict | null | undefined
  transaction?: string | null
  traceparent?: string | null
}

/** Makes an event, field by field, so that nothing slips into it. */
export function createEvent(parts: EventParts): GuardEvent {
  const { intent, verdict, code = null } = parts
  return {
    type: parts.type,
    at: parts.at,
    code,
    reason: code === null ? null : REASONS[code],
    endpoint: parts.endpoint,
    method: parts.method,
    payment:
      intent === undefined
        ? null
        : {
            network: intent.network,
            asset: intent.asset,
            payTo: intent.payTo,
            amountAtomic: intent.amountAtomic,
            amountUsd: intent.amountUsd,
            maxTimeoutSeconds: intent.maxTimeoutSeconds,
          },
    verdict: verdict ?? null,
    transaction: parts.transaction ?? null,
    traceparent: parts.traceparent ?? null,
  }
}

/** What is counted where it happens. The rest comes from events and from the ledger. */
type Counted =
  | 'paid'
  | 'liveChecks'
  | 'asked'
  | 'approved'
  | 'verdictRequests'
  | 'verdictFailures'
  | 'cacheHits'

/** Counts one. */
export type Count = (name: Counted) => void
