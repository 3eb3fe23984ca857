import { RateLimiterMemory } from 'rate-limiter-flexible'

/** Maximum number of uncharged calls per payer or client within a window. */
export type AttemptLimit = { points: number; windowSeconds: number }

/** Limits of uncharged calls per payer and per client address. */
export type UnchargedLimits = { payer: AttemptLimit; client: AttemptLimit }

/** The limits of the service. */
export const UNCHARGED_CALLS: UnchargedLimits = {
  payer: {
    points: 60,
    windowSeconds: 60,
  },
  client: {
    points: 300,
    windowSeconds: 60,
  },
}

/** Counts uncharged calls by key, in the memory of this process. */
export function createAttempts({ points, windowSeconds }: AttemptLimit) {
  const limiter = new RateLimiterMemory({ points, duration: windowSeconds })
  return {
    /** Seconds until the key may try again, 0 if it may now. */
    async secondsToWait(key: string): Promise<number> {
      const count = await limiter.get(key)
      return count !== null && count.consumedPoints >= points ? Math.ceil(count.msBeforeNext / 1000) : 0
    },
    /** Counts a call. Returns the seconds until the key may try again, 0 if it may now. */
    async take(key: string): Promise<number> {
      const count = await limiter.penalty(key)
      return count.consumedPoints > points ? Math.ceil(count.msBeforeNext / 1000) : 0
    },
    /** Takes back the last count. */
    async giveBack(key: string): Promise<void> {
      await limiter.reward(key)
    },
  }
}
