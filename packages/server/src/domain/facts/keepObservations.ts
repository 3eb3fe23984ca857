import type { Observation } from './facts.ts'

/** So many turning points of one series are kept: a receiver that changes with each answer makes one each time. */
const KEPT_TURNS = 100

/**
 * Chooses which of the old observations stay when their days are folded: the first and the last look of each client
 * at each endpoint, those between which its offers changed, and those that an incident cites. Receiver and price
 * histories rest on them.
 *
 * @param observations of one host, oldest first
 * @param cited ids that incidents name
 */
export function keepObservations(
  observations: readonly Observation[],
  cited: ReadonlySet<string>,
): Set<Observation> {
  const kept = new Set(observations.filter((one) => cited.has(one.id)))
  for (const series of seriesOf(observations)) {
    const offers = series.map((one) => JSON.stringify(one.offers))
    const turns = series.filter(
      (_, index) => offers[index - 1] !== offers[index] || offers[index + 1] !== offers[index],
    )
    for (const one of [...turns.slice(0, 1), ...turns.slice(-KEPT_TURNS)]) kept.add(one)
  }
  return kept
}

/** What each client saw at each endpoint when it was up. */
function seriesOf(observations: readonly Observation[]): Iterable<Observation[]> {
  const series = new Map<string, Observation[]>()
  for (const one of observations) {
    if (one.outcome !== 'up' || one.purpose === 'control') continue
    const key = `${one.client} ${one.method} ${one.endpoint}`
    const known = series.get(key)
    if (known) known.push(one)
    else series.set(key, [one])
  }
  return series.values()
}
