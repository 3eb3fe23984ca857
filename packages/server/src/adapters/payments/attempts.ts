import { RateLimiterMemory } from 'rate-limiter-flexible'

/** How many calls may end uncharged, for one payer or one client, in a window. */
export type AttemptLimit = { points: number; windowSeconds: number }

/** Counts what cost us work and nobody money. */
export type Attempts = {
  /** Seconds until the keys may try again; 0 when they may now. */
  waitFor(keys: readonly string[]): Promise<number>
  note(keys: readonly string[]): Promise<void>
}

/** Creates the count, kept in the memory of this process. */
export function createAttempts({ points, windowSeconds }: AttemptLimit): Attempts {
  const limiter = new RateLimiterMemory({ points, duration: windowSeconds })
  return {
    waitFor: async (keys) => {
      const waits = await Promise.all(
        keys.map(async (key) => {
          const count = await limiter.get(key)
          return count !== null && count.consumedPoints >= points ? Math.ceil(count.msBeforeNext / 1000) : 0
        }),
      )
      return Math.max(0, ...waits)
    },
    note: async (keys) => {
      await Promise.all(keys.map((key) => limiter.penalty(key)))
    },
  }
}
