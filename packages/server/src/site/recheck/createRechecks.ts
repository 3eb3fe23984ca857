import { createLimiter } from '../../http/rateLimit.ts'

// A window in real time.
const PER_HOST = { points: 1, windowSeconds: 3600 }

/** Queues hosts for an early probe, each once per hour. */
export type Rechecks = {
  /** Returns 0, or the seconds to wait. */
  ask(host: string): Promise<number>
}

/** Creates them. @param recheck moves a host to the front of the crawl queue */
export function createRechecks(recheck: (host: string) => Promise<void> | void): Rechecks {
  const hosts = createLimiter(PER_HOST)
  return {
    async ask(host) {
      const wait = hosts.take(host)
      if (wait === 0) await recheck(host)
      return wait
    },
  }
}
