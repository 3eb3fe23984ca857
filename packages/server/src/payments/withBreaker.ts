import { ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel'
import type { Facilitator } from './facilitator.ts'

/** Options of `withBreaker`. */
export type BreakerOptions = {
  /** Unavailable verifications in a row that open the circuit. @default 5 */
  failures?: number
  /** Time in ms before an open circuit lets one call through. @default 5000 */
  restMs?: number
}

/**
 * Adds a circuit breaker to a facilitator's verification, so that callers do not wait for one that is down.
 * Settlements always go through: at that point the answer is ready.
 */
export function withBreaker(facilitator: Facilitator, options: BreakerOptions = {}): Facilitator {
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: options.restMs ?? 5000,
    breaker: new ConsecutiveBreaker(options.failures ?? 5),
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
