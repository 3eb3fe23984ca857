import type { Observation } from './facts.ts'
import { groupBy } from './groupBy.ts'

/** Maximum number of changes kept per series, for receivers that change with each response. */
const KEPT_CHANGES = 100

/**
 * Chooses which old observations to keep when their days are folded: those that incidents cite, and per client and
 * endpoint the first, the last, and both sides of each change of offers. Receiver and price histories need them.
 *
 * @param observations of one host, oldest first
 * @param cited ids that incidents name
 */
export function keepObservations(
  observations: readonly Observation[],
  cited: ReadonlySet<string>,
): Set<Observation> {
  const kept = new Set(observations.filter(({ id }) => cited.has(id)))
  const ups = observations.filter(({ outcome, purpose }) => outcome === 'up' && purpose !== 'control')
  const byClient = groupBy(ups, ({ client, method, endpoint }) => `${client} ${method} ${endpoint}`)
  for (const series of byClient.values()) {
    const offers = series.map((one) => JSON.stringify(one.offers))
    const changes = series.filter(
      (_, index) => offers[index - 1] !== offers[index] || offers[index + 1] !== offers[index],
    )
    for (const one of [...changes.slice(0, 1), ...changes.slice(-KEPT_CHANGES)]) kept.add(one)
  }
  return kept
}
