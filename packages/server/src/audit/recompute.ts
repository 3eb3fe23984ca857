import type { EndpointState } from '../facts/hostDocument.ts'
import { canonicalJson } from '../facts/json.ts'
import { readState } from '../store/endpoints.ts'
import { readSummary } from '../store/hosts.ts'
import type { Store } from '../store/store.ts'
import { judgeAsOf } from './judgeAsOf.ts'
import { readProbes } from './readEndpoint.ts'

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
 * Judges every endpoint of a host again, from the probes and facts recorded at the time of its judgement, and compares
 * the result with the stored state. Returns undefined for an unknown host.
 */
export async function recomputeHost(store: Store, host: string): Promise<Recomputed[] | undefined> {
  const summary = await readSummary(store, host)
  if (summary === undefined) return undefined
  const results: Recomputed[] = []
  for (const { endpoint } of summary.endpoints) {
    const stored = await readState(store, endpoint)
    if (stored !== undefined) results.push(await recomputeEndpoint(store, stored.state))
  }
  return results
}

async function recomputeEndpoint(store: Store, stored: EndpointState): Promise<Recomputed> {
  const { endpoint, derivedAt: now } = stored
  const probes = await readProbes(store, endpoint, now, now)
  const state = await judgeAsOf(store, stored, { now, probes })
  const differences = findDifferences(stored, state)
  return { endpoint, isEqual: differences.length === 0, differences, state }
}

function findDifferences(stored: EndpointState, recomputed: EndpointState): Difference[] {
  const before: Readonly<Record<string, unknown>> = stored
  const after: Readonly<Record<string, unknown>> = recomputed
  return Object.keys({ ...before, ...after })
    .filter((field) => !IGNORED.has(field))
    .map((field) => ({ field, stored: before[field], recomputed: after[field] }))
    .filter((entry) => canonicalJson(entry.stored) !== canonicalJson(entry.recomputed))
}
