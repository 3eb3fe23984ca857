import type { DailyMeasurements } from '../domain/facts/dailyMeasurements.ts'
import type { Observation, Time } from '../domain/facts/facts.ts'
import type { Carried } from '../domain/facts/hostDocument.ts'
import { type CarriedOn, carry, isCurrent, NOTHING_CARRIED } from '../domain/judge/memory/carried.ts'
import type { Store } from '../ports/store.ts'

/** Looks that are carried on at once. */
const BATCH = 256

/** Whether the rules of this version made what is carried, so that later looks continue it. */
export const isCarriedOn = isCurrent

/**
 * Makes what is carried anew, from the kept looks and what was carried when the oldest of them was made. A base of
 * another version cannot be continued, so then the kept looks alone count.
 * @param until time of the last look that counts. @default no limit
 */
export async function refold(
  store: Pick<Store, 'looks' | 'base'>,
  endpoint: string,
  until?: Time,
): Promise<CarriedOn> {
  const base = await store.base(endpoint)
  let carried: Carried = base !== undefined && isCurrent(base) ? base : NOTHING_CARRIED
  const days: DailyMeasurements[] = []
  const add = (looks: readonly Observation[]) => {
    const on = carry(carried, looks)
    carried = on.carried
    days.push(...on.days)
  }
  let batch: Observation[] = []
  for await (const look of store.looks(endpoint, until === undefined ? {} : { to: until })) {
    batch.push(look)
    if (batch.length < BATCH) continue
    add(batch)
    batch = []
  }
  add(batch)
  return { carried, days }
}
