import { isDeepStrictEqual } from 'node:util'
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
    ...(next.resourceUrl !== undefined && {
      resourceUrl: same(next.resourceUrl, previous.resourceUrl ?? next.resourceUrl),
    }),
    versions: same(next.versions, previous.versions),
    offers: same(next.offers, previous.offers),
    disagreements: same(next.disagreements, previous.disagreements),
    problems: same(next.problems, previous.problems),
    ...(next.request !== undefined && { request: same(next.request, previous.request ?? next.request) }),
  }
}

function same<T>(next: T, previous: T): T {
  return isDeepStrictEqual(next, previous) ? previous : next
}
