import { MINUTE } from '../facts/times.ts'
import type { Clock } from '../lib/clock.ts'
import type { StoredState } from '../store/endpoints.ts'
import { readState } from '../store/endpoints.ts'
import type { Store } from '../store/store.ts'
import { judgeAsOf } from './judgeAsOf.ts'
import { readProbes } from './readEndpoint.ts'

/** Clocks of processes that share a database differ by less. */
const SKEW_MS = MINUTE

/**
 * Reads an endpoint's state as of now. A clock that was ahead leaves states from the future, until their
 * endpoints are probed again. In place of such a state one is made of what was recorded until now, without a leaf; an endpoint
 * without probes until now has none.
 */
export async function recallEndpoint(
  store: Store,
  endpoint: string,
  clock: Pick<Clock, 'now'>,
): Promise<StoredState | undefined> {
  const stored = await readState(store, endpoint)
  // After the read: a state that was judged meanwhile is not from the future.
  const now = clock.now()
  if (stored === undefined || stored.state.derivedAt <= now + SKEW_MS) return stored
  const probes = await readProbes(store, endpoint, now, now)
  if (probes.observations.length === 0) return undefined
  // As of now, since what follows a probe, such as the receiver's record, is a little later than it.
  return { state: await judgeAsOf(store, stored.state, { now, probes, keepsListings: true }) }
}
