import { HOUR } from '../facts/times.ts'
import type { Clock } from '../lib/clock.ts'

/** Limits the signatures of a host's documents that are checked, since each costs milliseconds and a host may list many. */
export type SignatureBudget = {
  /** Counts a check. Returns false if the host has used up its checks of the hour. */
  take(host: string): boolean
}

/** Checks per host and hour; an honest host needs one for each receiver that it names. */
export const CHECKS_PER_HOUR = 64
const MAX_HOSTS = 10_000

/** Creates the budget. It is kept by host, so that no other host can use it up. */
export function createSignatureBudget({ now }: Pick<Clock, 'now'>): SignatureBudget {
  const windows = new Map<string, { checks: number; readonly endsAt: number }>()
  return {
    take(host) {
      const window = windows.get(host)
      if (window !== undefined && window.endsAt > now()) return ++window.checks <= CHECKS_PER_HOUR
      windows.delete(host)
      windows.set(host, { checks: 1, endsAt: now() + HOUR })
      const [oldest] = windows.keys()
      if (windows.size > MAX_HOSTS && oldest !== undefined) windows.delete(oldest)
      return true
    },
  }
}
