import type { EndpointDocument, EndpointState } from '../domain/facts/hostDocument.ts'
import { canonicalJson } from '../domain/facts/json.ts'
import type { Store } from '../ports/store.ts'
import { judgeFacts } from './judgeFacts.ts'
import { readJudgedRecords } from './readEndpoint.ts'
import { refold } from './refold.ts'

/** A field whose stored value differs from the recomputed one; `carried` for what the next judgement begins with. */
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
  'summary' | 'endpoint' | 'endpointFacts' | 'hostFacts' | 'looks' | 'base' | 'receiver'
>

/** Contains random jitter. */
const IGNORED: ReadonlySet<string> = new Set(['nextProbeAt'])

/**
 * Judges every endpoint of a host again, from the looks and facts recorded at the time of its judgement, and compares
 * the result with the stored document. Returns undefined for an unknown host.
 */
export async function recomputeHost(store: RecomputeStore, host: string): Promise<Recomputed[] | undefined> {
  const summary = await store.summary(host)
  if (summary === undefined) return undefined
  const results: Recomputed[] = []
  for (const { endpoint } of summary.endpoints) {
    const document = await store.endpoint(endpoint)
    if (document !== undefined) results.push(await recomputeEndpoint(store, document))
  }
  return results
}

async function recomputeEndpoint(store: RecomputeStore, stored: EndpointDocument): Promise<Recomputed> {
  const { endpoint, host, derivedAt, categoryPrice, firstSeen } = stored.state
  const { carried } = await refold(store, endpoint, derivedAt)
  const facts = await store.endpointFacts(endpoint)
  const { announcements, control } = await store.hostFacts(host, derivedAt)
  const { state } = judgeFacts({
    endpoint,
    carried,
    facts: {
      listings: until(facts.listings, derivedAt),
      purchases: until(facts.purchases, derivedAt),
      changes: facts.changes.filter(({ at }) => Date.parse(at) <= derivedAt),
      incidents: facts.incidents.filter(({ detectedAt }) => Date.parse(detectedAt) <= derivedAt),
    },
    host: {
      announcements: until(announcements, derivedAt),
      control: control !== undefined && control.at <= derivedAt ? control : undefined,
    },
    recordsOf: await readJudgedRecords(store, carried, derivedAt),
    // The state keeps the category price of that time.
    categoryPrice: categoryPrice ?? undefined,
    firstSeen,
    now: derivedAt,
    random: 0,
  })
  const differences = findDifferences(stored, { state, carried })
  return { endpoint, isEqual: differences.length === 0, differences, state }
}

const until = <T extends { readonly at: number }>(list: readonly T[], moment: number) =>
  list.filter(({ at }) => at <= moment)

function findDifferences(stored: EndpointDocument, recomputed: EndpointDocument): Difference[] {
  const before: Readonly<Record<string, unknown>> = { ...stored.state, carried: stored.carried }
  const after: Readonly<Record<string, unknown>> = { ...recomputed.state, carried: recomputed.carried }
  return Object.keys({ ...before, ...after })
    .filter((field) => !IGNORED.has(field))
    .map((field) => ({ field, stored: before[field], recomputed: after[field] }))
    .filter((entry) => canonicalJson(entry.stored) !== canonicalJson(entry.recomputed))
}
