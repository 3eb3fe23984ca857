/** Series in memory, in order of last use. */
export type HeldSeries<T> = {
  /**
   * Runs `work` on the series of a name, which is created if it is not held. Afterwards its memory is counted again, and
   * series are evicted while all take too much: the least recently used first, and never the last one.
   */
  use<Result>(name: string, create: () => T, work: (series: T) => Promise<Result>): Promise<Result>
  all(): T[]
}

/** Keeps series in memory, up to limits. What each takes is asked after its own use only, since there are hundreds. */
export function createHeldSeries<T extends { bytes(): number }>(limits: {
  readonly maxBytes: number
  readonly maxSeries: number
}): HeldSeries<T> {
  type Held = { readonly series: T; bytes: number }
  const held = new Map<string, Held>()
  let total = 0

  const count = (name: string, one: Held) => {
    // It was evicted during its use.
    if (held.get(name) !== one) return
    const bytes = one.series.bytes()
    total += bytes - one.bytes
    one.bytes = bytes
  }
  const evict = () => {
    for (const [name, { bytes }] of held) {
      if ((total <= limits.maxBytes && held.size <= limits.maxSeries) || held.size === 1) return
      total -= bytes
      held.delete(name)
    }
  }

  return {
    async use(name, create, work) {
      const one = held.get(name) ?? { series: create(), bytes: 0 }
      held.delete(name)
      held.set(name, one)
      try {
        return await work(one.series)
      } finally {
        count(name, one)
        evict()
      }
    },
    all: () => [...held.values()].map(({ series }) => series),
  }
}
