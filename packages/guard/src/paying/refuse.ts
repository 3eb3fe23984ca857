import { createGuardError, type GuardError, type GuardErrorDetails } from '../errors.ts'
import type { EventParts } from '../events.ts'
import type { ReasonCode } from '../reasons.ts'
import type { GuardContext } from './guardContext.ts'

/** Facts about a refused payment, as far as they are known. */
export type Refused = Pick<EventParts, 'endpoint' | 'method' | 'intent' | 'verdict' | 'traceparent'> &
  Pick<GuardErrorDetails, 'details' | 'cause' | 'facts'>

/** Emits a refusal and returns the error to throw. */
export function refuse(
  context: GuardContext,
  code: ReasonCode,
  { details, cause, facts, ...parts }: Refused,
): GuardError {
  context.emit({ type: 'refused', code, ...parts })
  const { intent, verdict } = parts
  return createGuardError(code, { details, cause, facts, intent, verdict: verdict ?? undefined })
}
