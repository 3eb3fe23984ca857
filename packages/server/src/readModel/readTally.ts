import type { Time } from '../facts/facts.ts'
import type { Store } from '../ports/store.ts'
import { describeTally, type Tally } from '../publish/tally.ts'

/** Reads the totals over all endpoints. */
export async function readTally(store: Pick<Store, 'totals'>, now: Time): Promise<Tally> {
  return describeTally(await store.totals(now))
}
