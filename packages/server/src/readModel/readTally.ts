import type { Time } from '../domain/facts/facts.ts'
import { describeTally, type Tally } from '../domain/publish/tally.ts'
import type { Store } from '../ports/store.ts'

/** Reads the totals over all endpoints. */
export async function readTally(store: Pick<Store, 'totals'>, now: Time): Promise<Tally> {
  return describeTally(await store.totals(now))
}
