import type { Observation } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import type { CitedFinding } from '../publish/findings.ts'
import type { IncidentEvidence } from '../publish/incidentEvidence.ts'
import { citedListing, readSides } from '../publish/sides.ts'
import { readState } from '../store/endpoints.ts'
import { readEndpointFacts } from '../store/facts.ts'
import { readIncident, readIncidents } from '../store/feeds.ts'
import { readCited, readObservations } from '../store/observations.ts'
import type { Store } from '../store/store.ts'

/** Number of incidents that are searched for a probe. */
const MAX_INCIDENTS = 1000

/** Reads an incident with the facts that it cites, and the state of its endpoint; undefined if there is none of this id. */
export async function readIncidentEvidence(
  store: Store,
  id: string,
): Promise<
  (Omit<IncidentEvidence, 'disputedAt'> & { readonly state: EndpointState | undefined }) | undefined
> {
  const incident = await readIncident(store, id)
  if (incident === undefined) return undefined
  const { endpoint, kind, observations: cited } = incident
  const isCited = (fact: { readonly id: string }) => cited.includes(fact.id)
  const [known, observations, facts] = await Promise.all([
    readState(store, endpoint),
    readCited(store, endpoint, cited),
    readEndpointFacts(store, endpoint),
  ])
  const listing = kind === 'bait_and_switch' ? citedListing(facts.listings, cited) : undefined
  const sides = await readSides((...of) => readObservations(store, ...of), observations, listing)
  // No other purchase is public.
  return { incident, observations, purchases: facts.purchases.filter(isCited), sides, state: known?.state }
}

/**
 * Finds a probe by its id, with the state of its endpoint, and whether an incident or a reason cites it. Probes are stored
 * by endpoint, so without one only those that incidents cite are found.
 * @param endpoint canonical URL
 */
export async function findObservation(
  store: Store,
  id: string,
  endpoint: string | undefined,
): Promise<
  | {
      readonly observation: Observation
      readonly isCited: boolean
      readonly state: EndpointState | undefined
    }
  | undefined
> {
  const query = { since: 0, limit: MAX_INCIDENTS, ...(endpoint !== undefined && { endpoint }) }
  const { records } = await readIncidents(store, query)
  const citing = records.find(({ observations }) => observations.includes(id))
  const at = endpoint ?? citing?.endpoint
  if (at === undefined) return undefined
  const [[observation], known] = await Promise.all([readCited(store, at, [id]), readState(store, at)])
  const isReason = known?.state.reasons.some(({ evidence }) => evidence.includes(id)) === true
  return observation && { observation, isCited: citing !== undefined || isReason, state: known?.state }
}

/** Reads the findings of an endpoint with the facts that they cite; undefined if it was never judged. */
export async function readFindings(store: Store, endpoint: string): Promise<CitedFinding[] | undefined> {
  const known = await readState(store, endpoint)
  if (known === undefined) return undefined
  const { changes, listings } = await readEndpointFacts(store, endpoint)
  const change = changes.findLast(({ kind }) => kind === 'payto_swap')
  return Promise.all(
    known.state.reasons.map(async (reason) => {
      const listing = listings.findLast(({ id }) => reason.evidence.includes(id))
      return { reason, observations: await readCited(store, endpoint, reason.evidence), change, listing }
    }),
  )
}
