import { addDays, type DailyMeasurements } from '../../../domain/facts/dailyMeasurements.ts'
import type { Observation } from '../../../domain/facts/facts.ts'
import type { Carried } from '../../../domain/facts/hostDocument.ts'
import type { CarriedOn } from '../../../domain/judge/memory/carried.ts'
import type { Store } from '../../../ports/store.ts'
import type { SpooledHosts } from './createSpool.ts'
import { completeState, type OldHost, type OldState } from './oldState.ts'
import type { NumberedDocument } from './readOldDocuments.ts'

/** Folds looks into what a judgement carries, as `carry` in `domain/judge/memory/carried.ts` does. */
export type Carry = (before: Carried | undefined, looks: readonly Observation[]) => CarriedOn

/** Numbers of written documents. */
export type PutHosts = { readonly hosts: number; readonly endpoints: number; readonly days: number }

/** Endpoints that are written at the same time. */
const CONCURRENCY = 16
/** Looks in one write. */
const LOOKS = 1000

/** Records of one endpoint. */
type Endpoint = {
  /** Undefined if it was never judged. */
  state: OldState | undefined
  readonly looks: Observation[]
  /** Days that version 0.1 had folded, by date. */
  readonly days: Map<string, DailyMeasurements>
}

/** Writes the newest document of each host, with the looks and days of its endpoints. */
export async function putHosts(store: Store, spooled: SpooledHosts, carry: Carry): Promise<PutHosts> {
  const hosts = newestOf(spooled.documents)
  const endpoints = new Map<string, Endpoint>()
  const at = (endpoint: string): Endpoint => {
    const known = endpoints.get(endpoint) ?? { state: undefined, looks: [], days: new Map() }
    endpoints.set(endpoint, known)
    return known
  }
  for (const state of hosts.flatMap((host) => host.endpoints)) at(state.endpoint).state = state
  for (const look of spooled.looks) at(look.endpoint).looks.push(look)
  for (const day of spooled.days) {
    const { days } = at(day.endpoint)
    const known = days.get(day.date)
    days.set(day.date, known ? addDays(known, day) : day)
  }

  const waiting = [...endpoints.values()]
  const counts = { hosts: hosts.length, endpoints: 0, days: 0 }
  const work = async (): Promise<void> => {
    for (let one = waiting.pop(); one; one = waiting.pop()) {
      await putEndpoint(store, one, carry)
      counts.endpoints += one.state ? 1 : 0
      counts.days += one.state ? one.days.size : 0
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return counts
}

/** Writes looks in the order of their times, as the store expects them, then the document. */
async function putEndpoint(store: Store, { state, looks, days }: Endpoint, carry: Carry): Promise<void> {
  looks.sort((a, b) => a.at - b.at)
  for (let from = 0; from < looks.length; from += LOOKS) await store.append(looks.slice(from, from + LOOKS))
  if (state === undefined) return
  const { carried, days: ended } = carry(undefined, looks)
  // Of a day that 0.1 had folded only some looks are left, so its own sums stand.
  const all = [...days.values(), ...ended.filter(({ date }) => !days.has(date))]
  const byDate = all.sort((a, b) => (a.date < b.date ? -1 : 1))
  await store.putEndpoint({ state: completeState(state), carried }, { facts: [], days: byDate })
}

function newestOf(documents: readonly NumberedDocument[]): OldHost[] {
  const newest = new Map<string, NumberedDocument>()
  for (const entry of documents) {
    const { host } = entry.document
    if ((newest.get(host)?.seq ?? -1) <= entry.seq) newest.set(host, entry)
  }
  return [...newest.values()].map(({ document }) => document)
}
