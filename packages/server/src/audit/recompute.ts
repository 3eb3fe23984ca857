import type { EndpointState } from '../domain/facts/hostDocument.ts'
import { canonicalJson } from '../domain/facts/json.ts'
import type { HostFacts, Store } from '../ports/oldStore.ts'
import { judgeFacts } from './judgeFacts.ts'
import { readRecords } from './readRecords.ts'

/** A field whose stored value differs from the recomputed one. */
export type Difference = { readonly field: string; readonly stored: unknown; readonly recomputed: unknown }

/** The result of recomputing an endpoint. */
export type Recomputed = {
  readonly endpoint: string
  readonly isEqual: boolean
  readonly differences: readonly Difference[]
  readonly state: EndpointState
}

/** Contains random jitter. */
const IGNORED: ReadonlySet<string> = new Set(['nextProbeAt'])

/**
 * Judges every endpoint of a host again, from the facts recorded at the time of its judgement, and compares the result
 * with the stored state. Returns undefined for an unknown host.
 */
export async function recomputeHost(
  store: Pick<Store, 'getHost' | 'hostFacts' | 'receiver'>,
  host: string,
): Promise<Recomputed[] | undefined> {
  const document = await store.getHost(host)
  if (document === undefined) return undefined
  const facts = await store.hostFacts(host)
  const results: Recomputed[] = []
  for (const stored of document.endpoints) results.push(await recomputeEndpoint(store, stored, facts))
  return results
}

async function recomputeEndpoint(
  store: Pick<Store, 'receiver'>,
  stored: EndpointState,
  facts: HostFacts,
): Promise<Recomputed> {
  const { endpoint, derivedAt } = stored
  const known = factsUntil(facts, derivedAt)
  const recordsOf = await readRecords(store, endpoint, known.observations)
  const { state } = judgeFacts({
    endpoint,
    facts: known,
    recordsOf: (network, address) => until(recordsOf(network, address), derivedAt),
    // The state keeps the category price of that time.
    categoryPrice: () => stored.categoryPrice ?? undefined,
    firstSeen: stored.firstSeen,
    now: derivedAt,
    random: 0,
  })
  const differences = findDifferences(stored, state)
  return { endpoint, isEqual: differences.length === 0, differences, state }
}

const until = <T extends { readonly at: number }>(list: readonly T[], moment: number) =>
  list.filter(({ at }) => at <= moment)

function factsUntil(facts: HostFacts, moment: number): HostFacts {
  return {
    ...facts,
    listings: until(facts.listings, moment),
    observations: until(facts.observations, moment),
    announcements: until(facts.announcements, moment),
    purchases: until(facts.purchases, moment),
    changes: facts.changes.filter(({ at }) => Date.parse(at) <= moment),
    incidents: facts.incidents.filter(({ detectedAt }) => Date.parse(detectedAt) <= moment),
  }
}

function findDifferences(stored: EndpointState, recomputed: EndpointState): Difference[] {
  const before: Readonly<Record<string, unknown>> = stored
  const after: Readonly<Record<string, unknown>> = recomputed
  return Object.keys({ ...before, ...after })
    .filter((field) => !IGNORED.has(field))
    .map((field) => ({ field, stored: before[field], recomputed: after[field] }))
    .filter((entry) => canonicalJson(entry.stored) !== canonicalJson(entry.recomputed))
}
