/** Times until which hosts are left alone. */
export type Waits = {
  set(host: string, until: number): void
  /** Whether a host still waits. Forgets a wait that is over. */
  has(host: string, now: number): boolean
}

/** Maximum number of hosts kept; the oldest are evicted first, and planned for again. */
const MAX_HOSTS = 50_000

/** Creates empty waits. */
export function createWaits(): Waits {
  const untils = new Map<string, number>()
  return {
    set(host, until) {
      untils.delete(host)
      untils.set(host, until)
      const [oldest] = untils.keys()
      if (untils.size > MAX_HOSTS && oldest !== undefined) untils.delete(oldest)
    },
    has(host, now) {
      const until = untils.get(host)
      if (until === undefined) return false
      if (until <= now) untils.delete(host)
      return until > now
    },
  }
}
