/** Endpoints that this process has taken to probe, by host. */
export type TakenHosts = {
  /** Adds due endpoints. Those of a host that has too many already are left out: they become due again by themselves. */
  add(endpoints: readonly string[]): void
  /** Adds all given endpoints of a host, which comes next. */
  addFirst(host: string, endpoints: readonly string[]): void
  /** Returns the next host that is not in progress, and marks it as such. */
  start(): string | undefined
  /** Removes and returns the next endpoint of a host in progress; undefined ends the host's progress. */
  next(host: string): string | undefined
  /** Number of hosts that are not in progress. */
  waiting(): number
  /** Number of endpoints. */
  size(): number
}

/** Maximum number of due endpoints taken of one host, so that a large one leaves room for others. */
export const MOST_PER_HOST = 512

/** Creates the collection, which holds no endpoint twice. */
export function createTakenHosts(): TakenHosts {
  const byHost = new Map<string, Set<string>>()
  /** Hosts that wait, in order. */
  const queue = new Set<string>()
  const first = new Set<string>()
  let size = 0
  const put = (host: string, endpoint: string) => {
    const known = byHost.get(host)
    const endpoints = known ?? new Set()
    if (known === undefined) {
      byHost.set(host, endpoints)
      queue.add(host)
    }
    if (endpoints.has(endpoint)) return
    endpoints.add(endpoint)
    size++
  }
  return {
    add(endpoints) {
      for (const endpoint of endpoints) {
        const host = new URL(endpoint).host
        if ((byHost.get(host)?.size ?? 0) < MOST_PER_HOST) put(host, endpoint)
      }
    },
    addFirst(host, endpoints) {
      for (const endpoint of endpoints) put(host, endpoint)
      if (queue.has(host)) first.add(host)
    },
    start() {
      const [host] = first.size > 0 ? first : queue
      if (host === undefined) return undefined
      first.delete(host)
      queue.delete(host)
      return host
    },
    next(host) {
      const endpoints = byHost.get(host)
      const [endpoint] = endpoints ?? []
      if (endpoint === undefined) {
        byHost.delete(host)
        return undefined
      }
      endpoints?.delete(endpoint)
      size--
      return endpoint
    },
    waiting: () => queue.size,
    size: () => size,
  }
}
