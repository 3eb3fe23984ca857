import { createGuardError, type GuardError } from '../errors.ts'
import { createEvent } from '../events.ts'
import type { ReasonCode } from '../reasons.ts'
import type { CheckedVerdict, PaymentIntent } from '../types.ts'
import type { GuardContext } from './guardContext.ts'

/** What is refused, as far as it is known. */
export type Refused = {
  /** Canonical URL. */
  endpoint?: string | null | undefined
  method?: string
  intent?: PaymentIntent | undefined
  verdict?: CheckedVerdict | null | undefined
  traceparent?: string | null
  details?: string | undefined
  cause?: unknown
}

/** Tells whoever listens of a refusal, and makes the error that the caller throws. */
export function refuse(context: GuardContext, code: ReasonCode, refused: Refused): GuardError {
  const { intent, verdict, details, cause, traceparent = null } = refused
  const endpoint = refused.endpoint ?? intent?.endpoint ?? null
  const method = refused.method ?? intent?.method ?? ''
  const at = context.now()
  context.emit(createEvent({ type: 'refused', at, code, endpoint, method, intent, verdict, traceparent }))
  return createGuardError(code, { details, cause, intent, verdict: verdict ?? undefined })
}
