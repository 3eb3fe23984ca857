import { formatUsdc } from '@touchstone402/shared'
import type { GuardError, RefusalFacts, Report } from '../errors.ts'
import { GRACE_MS } from '../ledger/exposure.ts'
import type { Payment } from '../ledger/ledger.ts'
import { APPROVAL_LIFETIME_MS } from '../ledger/pending.ts'
import type { PaymentIntent } from '../types.ts'
import { type GuardContext, refuse } from './guardContext.ts'

/** Creates the refusal of a call that has an unresolved payment. */
export function refusePending(
  context: GuardContext,
  entry: Payment,
  code: 'PAYMENT_PENDING' | 'PAYMENT_SETTLED' | 'PAYMENT_UNRESOLVED',
  traceparent: string | null,
): GuardError {
  const intent = intentOf(context, entry)
  const waitMs = code === 'PAYMENT_UNRESOLVED' ? GRACE_MS : 0
  const until =
    code === 'PAYMENT_SETTLED' ? undefined : new Date(holdsUntil(context, entry) + waitMs).toISOString()
  const details =
    until && (waitMs > 0 ? `The call is judged anew from ${until}.` : `It can be collected until ${until}.`)
  const facts = { ...factsOf(entry, intent, { isRepeat: true }), ...(until && { resetsAt: until }) }
  return refuse(context, code, { intent, traceparent, details, facts })
}

/** Returns the facts of a signed payment for errors. */
export function factsOf(
  entry: Payment,
  { amountUsd, payTo: to }: PaymentIntent,
  { retryResends = false, isRepeat = false },
) {
  const { id, known, state: reached } = entry
  const transaction = known?.transaction
  // An agent may have sent what it was given.
  const isHeld = /^(reserved|released)$/.test(reached) || (reached === 'handedOut' && entry.agent === null)
  const state: Report['state'] = isHeld ? 'signed' : reached === 'settled' ? reached : 'sent'
  return {
    moneyMayHaveLeft: true,
    paymentId: id,
    payment: { id, amountUsd, to, state, retryResends, isRepeat },
    ...(transaction && { transaction }),
  } satisfies Partial<RefusalFacts>
}

/** Returns the Unix time in ms until which a payment can be collected, or at most if that is not known. */
export function holdsUntil({ policy }: GuardContext, { state, at, authorization }: Payment): number {
  if (authorization !== null) return Number(authorization.validBefore) * 1000
  return at + (state === 'reserved' ? APPROVAL_LIFETIME_MS : policy.maxAuthorizationSeconds * 1000)
}

/** Describes a payment of the ledger. Its lifetime is the longest that the policy allows. */
export function intentOf({ policy }: GuardContext, entry: Payment): PaymentIntent {
  const { endpoint, host, call, network, asset, payTo, amountAtomic, usdMicros } = entry
  return {
    endpoint,
    host,
    network,
    asset,
    payTo,
    amountAtomic,
    method: call.slice(0, call.indexOf(' ')),
    url: call.slice(call.indexOf(' ') + 1),
    scheme: entry.scheme === 'upto' ? 'upto' : 'exact',
    facilitator: null,
    amountUsd: formatUsdc(usdMicros),
    maxTimeoutSeconds: policy.maxAuthorizationSeconds,
  }
}
