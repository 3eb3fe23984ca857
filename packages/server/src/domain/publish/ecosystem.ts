import type { Ecosystem, Status } from '@touchstone402/shared'

/** Summarises the number of endpoints by status. */
export function describeEcosystem(counts: ReadonlyMap<Status, number>): Ecosystem {
  const count = (status: Status) => counts.get(status) ?? 0
  const tracked = [...counts.values()].reduce((sum, number) => sum + number, 0)
  return {
    tracked,
    live: count('live'),
    dead: count('dark'),
    invalid: count('invalid'),
    unmeasured: count('unmeasured'),
    deadPct: tracked === 0 ? 0 : Math.round((1000 * count('dark')) / tracked) / 10,
  }
}
