import { isIPv6 } from 'node:net'
import type { RateLimit } from './deps.ts'
import { ProblemError } from './problems.ts'

/** The limit on free calls where none is configured. */
export const FREE_RATE_LIMIT: RateLimit = { points: 600, windowSeconds: 60 }

/** Counts calls by client; answers 0, or the seconds to wait. */
export type Limiter = { take(client: string): number }

/**
 * Creates a limiter that counts in the memory of this process, in windows that begin with a client's first call. It
 * answers at once: a limiter that answers by promises costs more than all else that is done for an answer from memory.
 * @param now milliseconds of a clock that only goes forward. @default performance.now
 */
export function createLimiter(limit: RateLimit, now: () => number = () => performance.now()): Limiter {
  const windowMs = limit.windowSeconds * 1000
  // Windows are of one length and are entered as they begin, so that those that end first stand first.
  const windows = new Map<string, { calls: number; readonly endsAt: number }>()
  const forget = (time: number) => {
    for (const [client, { endsAt }] of windows) {
      if (endsAt > time) return
      windows.delete(client)
    }
  }
  return {
    take(client) {
      const time = now()
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

/** The refusal of a client that calls too often. */
export function tooManyCalls(wait: number): ProblemError {
  return new ProblemError(429, 'too_many_requests', `Too many calls; try again in ${wait} s.`, {
    retryAfterSeconds: wait,
  })
}

/**
 * What one client is: an IPv4 address, or the /64 of an IPv6 address, since a household or a machine holds a whole one.
 * The port that some proxies append is none of it, since each connection has another.
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
