import { ConsecutiveBreaker, circuitBreaker, handleWhenResult, isBrokenCircuitError } from 'cockatiel'
import type { Facilitator, Verification } from './facilitator.ts'

export type BreakerOptions = {
  /** Verifications without an answer in a row, after which no more are tried. @default 5 */
  failures?: number
  /** How long the facilitator is left alone; then one call tries it. @default 5000 */
  restMs?: number
}

/**
 * Spares callers the wait for a facilitator that does not answer. Only verification is cut short: it comes first, and
 * a settlement that has been decided on is always tried.
 */
export function withBreaker(facilitator: Facilitator, options: BreakerOptions = {}): Facilitator {
  const breaker = circuitBreaker(
    handleWhenResult((result) => isUnavailable(result)),
    { halfOpenAfter: options.restMs ?? 5000, breaker: new ConsecutiveBreaker(options.failures ?? 5) },
  )
  return {
    ...facilitator,
    verify: async (call): Promise<Verification> => {
      try {
        return await breaker.execute(() => facilitator.verify(call))
      } catch (cause) {
        if (isBrokenCircuitError(cause)) return { kind: 'unavailable', cause }
        throw cause
      }
    },
  }
}

function isUnavailable(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'unavailable'
}
