import type { Change } from '@touchstone402/shared'
import type { EndpointState } from '../facts/hostDocument.ts'
import { canonicalJson } from '../facts/json.ts'
import { toHistory } from '../judge/history.ts'
import type { Store } from '../ports/store.ts'
import { judgeFacts } from './judgeFacts.ts'
import { readProbes, readRecords } from './readEndpoint.ts'

/** A field whose stored value differs from the recomputed one. */
export type Difference = { readonly field: string; readonly stored: unknown; readonly recomputed: unknown }

/** The result of recomputing an endpoint. */
export type Recomputed = {
  readonly endpoint: string
  readonly isEqual: boolean
  readonly differences: readonly Difference[]
  readonly state: EndpointState
}

/** The reads of a store that recomputing an endpoint needs. */
type RecomputeStore = Pick<
  Store,
  'summary' | 'endpoint' | 'endpointFacts' | 'hostFacts' | 'observations' | 'days' | 'receiver'
>

/** Contains random jitter. */
const IGNORED: ReadonlySet<string> = new Set(['nextProbeAt'])

/**
 * Judges every endpoint of a host again, from the probes and facts recorded at the time of its judgement, and compares
 * the result with the stored state. Returns undefined for an unknown host.
 */
export async function recomputeHost(store: RecomputeStore, host: string): Promise<Recomputed[] | undefined> {
  const summary = await store.summary(host)
  if (summary === undefined) return undefined
  const results: Recomputed[] = []
  for (const { endpoint } of summary.endpoints) {
    const stored = await store.endpoint(endpoint)
    if (stored !== undefined) results.push(await recomputeEndpoint(store, stored.state))
  }
  return results
}

async function recomputeEndpoint(store: RecomputeStore, stored: EndpointState): Promise<Recomputed> {
  const { endpoint, host, derivedAt: now, categoryPrice, lookalike, shopping = null } = stored
  const facts = await store.endpointFacts(endpoint)
  const { announcements, control } = await store.hostFacts(host)
  const changes = facts.changes.filter(({ at }: Change) => Date.parse(at) <= now)
  // Facts older than the probes come from the stored state.
  const past = { ...(await readProbes(store, endpoint, now, now)), changes, before: stored }
  const { state } = await judgeFacts({
    endpoint,
    history: toHistory(past, now),
    facts: {
      listings: until(facts.listings, now),
      purchases: until(facts.purchases, now),
      changes,
      incidents: facts.incidents.filter(({ detectedAt }) => Date.parse(detectedAt) <= now),
    },
    host: {
      announcements: until(announcements, now),
      control: control !== undefined && control.at <= now ? control : undefined,
    },
    readRecords: (receivers) => readRecords(store, receivers, now),
    // The state keeps the incidents of that time, as it does the price.
    readAccusations: async () => stored.accusations ?? [],
    // The state keeps the category price of that time.
    categoryPrice: categoryPrice ?? undefined,
    lookalike,
    shopping,
    now,
    random: 0,
  })
  const differences = findDifferences(stored, state)
  return { endpoint, isEqual: differences.length === 0, differences, state }
}

const until = <T extends { readonly at: number }>(list: readonly T[], moment: number) =>
  list.filter(({ at }) => at <= moment)

function findDifferences(stored: EndpointState, recomputed: EndpointState): Difference[] {
  const before: Readonly<Record<string, unknown>> = stored
  const after: Readonly<Record<string, unknown>> = recomputed
  return Object.keys({ ...before, ...after })
    .filter((field) => !IGNORED.has(field))
    .map((field) => ({ field, stored: before[field], recomputed: after[field] }))
    .filter((entry) => canonicalJson(entry.stored) !== canonicalJson(entry.recomputed))
}
