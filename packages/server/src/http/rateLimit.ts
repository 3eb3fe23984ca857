import { isIPv6 } from 'node:net'
import { ProblemError } from '../lib/problemError.ts'

export type RateLimit = {
  /** Calls per window and client: an IPv4 address or an IPv6 /64. */
  readonly points: number
  readonly windowSeconds: number
}

/** Counts calls per client. `take` returns 0, or the seconds to wait. */
export type Limiter = { readonly limit: RateLimit; take(client: string): number }

/**
 * Creates an in-memory limiter with fixed windows of real time that begin at a client's first call. Synchronous: a promise
 * costs more than a cached answer.
 */
export function createLimiter(limit: RateLimit): Limiter {
  const windowMs = limit.windowSeconds * 1000
  // All windows have one length and are inserted as they begin, so they are in the order of their ends.
  const windows = new Map<string, { calls: number; readonly endsAt: number }>()
  const forget = (time: number) => {
    for (const [client, { endsAt }] of windows) {
      if (endsAt > time) return
      windows.delete(client)
    }
  }
  return {
    limit,
    take(client) {
      const time = performance.now()
      const running = windows.get(client)
      if (running !== undefined && running.endsAt > time) {
        running.calls++
        return running.calls <= limit.points ? 0 : Math.max(1, Math.ceil((running.endsAt - time) / 1000))
      }
      forget(time)
      windows.set(client, { calls: 1, endsAt: time + windowMs })
      return limit.points > 0 ? 0 : limit.windowSeconds
    },
  }
}

/** Returns the refusal of a client over its limit. */
export function tooManyCalls(wait: number, limit: RateLimit): ProblemError {
  return new ProblemError(429, 'too_many_requests', `Too many requests; retry in ${wait} s.`, {
    retryAfterSeconds: wait,
    limit,
  })
}

/** Counts a call. @throws ProblemError 429 over the limit */
export function admit(limiter: Limiter, key: string): void {
  const wait = limiter.take(key)
  if (wait > 0) throw tooManyCalls(wait, limiter.limit)
}

/**
 * Returns the key that limits count a client by: its IPv4 address, or the /64 of its IPv6 address, since one household or
 * machine holds a whole /64. A port that a proxy appended is dropped.
 */
export function clientKey(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  if (!address.includes(':')) return address
  const withPort = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(address)
  if (withPort?.[2] !== undefined) return withPort[2]
  const bare = (withPort?.[1] ?? address).split('%')[0] ?? ''
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
