import type { Observation } from '../../domain/facts/facts.ts'

/**
 * Returns an equal observation that shares equal parts with the previous one. Neighbouring observations differ in
 * little but time and latency, so sharing cuts their memory to about a quarter.
 */
export function shareParts(next: Observation, previous: Observation | undefined): Observation {
  if (!previous || previous.endpoint !== next.endpoint) return next
  return {
    ...next,
    endpoint: previous.endpoint,
    host: previous.host,
    client: same(next.client, previous.client),
    method: same(next.method, previous.method),
    resourceOrigin: same(next.resourceOrigin, previous.resourceOrigin),
    versions: same(next.versions, previous.versions),
    offers: same(next.offers, previous.offers),
    disagreements: same(next.disagreements, previous.disagreements),
    problems: same(next.problems, previous.problems),
  }
}

function same<T>(next: T, previous: T): T {
  return equal(next, previous) ? previous : next
}

/** Compares plain JSON values deeply. */
function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const left = Object.entries(a)
  const right = new Map(Object.entries(b))
  return (
    left.length === right.size && left.every(([key, value]) => right.has(key) && equal(value, right.get(key)))
  )
}
