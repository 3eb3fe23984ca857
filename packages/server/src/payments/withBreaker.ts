import { ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel'
import type { Facilitator } from './facilitator.ts'

/** Unavailable verifications in a row that open the circuit. */
const FAILURES = 5
/** Time in ms before an open circuit lets one call through. */
const REST_MS = 5000

/**
 * Adds a circuit breaker to a facilitator's verification, so that callers do not wait for one that is down.
 * Settlements always go through: at that point the answer is ready.
 */
export function withBreaker(facilitator: Facilitator): Facilitator {
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: REST_MS,
    breaker: new ConsecutiveBreaker(FAILURES),
  })
  return {
    ...facilitator,
    async verify(call) {
      try {
        return await breaker.execute(async () => {
          const verification = await facilitator.verify(call)
          if (verification.kind === 'unavailable') throw verification.cause
          return verification
        })
      } catch (cause) {
        return { kind: 'unavailable', cause }
      }
    },
  }
}
