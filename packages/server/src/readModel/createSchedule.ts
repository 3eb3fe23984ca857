/** When each endpoint is to be looked at. */
export type Schedule = {
  set(endpoint: string, host: string, at: number): void
  delete(endpoint: string): void
  has(endpoint: string): boolean
  /** The endpoints whose time has come, by host, but for those that another schedule has. */
  due(now: number, except?: Pick<Schedule, 'has'>): Map<string, string[]>
  /** The earliest time of all but those; infinity without any. */
  next(except?: Pick<Schedule, 'has'>): number
}

/**
 * Makes an empty schedule. It is one flat map: going through 100,000 numbers takes a millisecond or two, which a heap
 * would only beat by work at each of the many changes in between.
 */
export function createSchedule(): Schedule {
  const entries = new Map<string, { host: string; at: number }>()
  return {
    set(endpoint, host, at) {
      const known = entries.get(endpoint)
      if (known === undefined) entries.set(endpoint, { host, at })
      else known.at = at
    },
    delete: (endpoint) => void entries.delete(endpoint),
    has: (endpoint) => entries.has(endpoint),
    due(now, except) {
      const byHost = new Map<string, string[]>()
      for (const [endpoint, { host, at }] of entries) {
        if (at > now || except?.has(endpoint)) continue
        const known = byHost.get(host)
        if (known === undefined) byHost.set(host, [endpoint])
        else known.push(endpoint)
      }
      return byHost
    },
    next(except) {
      let earliest = Number.POSITIVE_INFINITY
      for (const [endpoint, { at }] of entries) {
        if (at < earliest && !except?.has(endpoint)) earliest = at
      }
      return earliest
    },
  }
}
