import { addDays, type DailyMeasurements } from '../../../domain/facts/dailyMeasurements.ts'
import type { Observation } from '../../../domain/facts/facts.ts'
import type { Carried } from '../../../domain/facts/hostDocument.ts'
import type { CarriedOn } from '../../../domain/judge/carried.ts'
import type { Store } from '../../../ports/store.ts'
import type { SpooledHosts } from './createSpool.ts'
import { completeState, type OldHost, type OldState } from './oldState.ts'

/** Folds looks into what a judgement carries, as `carry` in `domain/judge/carried.ts` does. */
export type Carry = (before: Carried | undefined, looks: readonly Observation[]) => CarriedOn

/** Numbers of written documents. */
export type PutHosts = { readonly hosts: number; readonly endpoints: number; readonly days: number }

/** Hosts that are written at the same time. */
const CONCURRENCY = 16
/** Looks that are carried at once. */
const LOOKS = 1000

/** Writes the newest document of each host with its days. The store holds their looks already. */
export async function putHosts(store: Store, spooled: SpooledHosts, carry: Carry): Promise<PutHosts> {
  const newest = new Map<string, { readonly seq: number; readonly document: OldHost }>()
  for (const entry of spooled.documents) {
    const { host } = entry.document
    if ((newest.get(host)?.seq ?? -1) <= entry.seq) newest.set(host, entry)
  }
  const days = addUp(spooled.days)
  const waiting = [...newest.values()]
  const counts = { hosts: waiting.length, endpoints: 0, days: 0 }

  const work = async (): Promise<void> => {
    for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
      for (const state of entry.document.endpoints) {
        const old = [...(days.get(state.endpoint)?.values() ?? [])]
        await putEndpoint(store, state, old, carry)
        counts.endpoints += 1
        counts.days += old.length
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return counts
}

async function putEndpoint(
  store: Store,
  state: OldState,
  old: readonly DailyMeasurements[],
  carry: Carry,
): Promise<void> {
  // Of a day that 0.1 had folded only some looks are left, so its own sums stand.
  const known = new Set(old.map(({ date }) => date))
  const ended: DailyMeasurements[] = []
  let carried: Carried | undefined
  const carryOn = (looks: readonly Observation[]): Carried => {
    const next = carry(carried, looks)
    ended.push(...next.days.filter(({ date }) => !known.has(date)))
    carried = next.carried
    return next.carried
  }
  let looks: Observation[] = []
  for await (const look of store.looks(state.endpoint)) {
    looks.push(look)
    if (looks.length < LOOKS) continue
    carryOn(looks)
    looks = []
  }
  const last = carryOn(looks)
  const days = [...old, ...ended].sort((a, b) => (a.date < b.date ? -1 : 1))
  await store.putEndpoint({ state: completeState(state), carried: last }, { facts: [], days })
}

/** Adds up the parts of each day, by endpoint and date. */
function addUp(parts: readonly DailyMeasurements[]): Map<string, Map<string, DailyMeasurements>> {
  const days = new Map<string, Map<string, DailyMeasurements>>()
  for (const part of parts) {
    const ofEndpoint = days.get(part.endpoint) ?? new Map<string, DailyMeasurements>()
    const known = ofEndpoint.get(part.date)
    ofEndpoint.set(part.date, known ? addDays(known, part) : part)
    days.set(part.endpoint, ofEndpoint)
  }
  return days
}
