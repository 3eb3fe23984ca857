import { isIPv6 } from 'node:net'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimit } from './deps.ts'
import { ProblemError } from './problems.ts'

/** The limit on free calls where none is configured. */
export const FREE_RATE_LIMIT: RateLimit = { points: 600, windowSeconds: 60 }

/** Counts calls by client; resolves to 0, or to the seconds to wait. */
export type Limiter = { take(client: string): Promise<number> }

/** Creates a limiter that counts in the memory of this process. */
export function createLimiter(limit: RateLimit): Limiter {
  const limiter = new RateLimiterMemory({ points: limit.points, duration: limit.windowSeconds })
  return {
    take: async (client) => {
      try {
        await limiter.consume(client)
        return 0
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return Math.max(1, Math.ceil(refused.msBeforeNext / 1000))
        throw refused
      }
    },
  }
}

/** The refusal of a client that calls too often. */
export function tooManyCalls(wait: number): ProblemError {
  return new ProblemError(429, 'too_many_requests', `Too many calls; try again in ${wait} s.`, {
    retryAfterSeconds: wait,
  })
}

/** What one client is: an IPv4 address, or the /64 of an IPv6 address, since a household or a machine holds a whole one. */
export function clientKey(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  const bare = address.split('%')[0] ?? address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)
  if (mapped?.[1] !== undefined) return mapped[1]
  if (!isIPv6(bare)) return bare
  const [head = '', tail] = bare.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
