import type { Time } from '../facts/facts.ts'
import { describeTally, type Tally } from '../publish/tally.ts'
import type { Store } from '../store/store.ts'

/** Reads the totals over all endpoints. */
export async function readTally(store: Store, now: Time): Promise<Tally> {
  return describeTally(await store.totals(now))
}
