import type { DailyMeasurements } from '../../facts/dailyMeasurements.ts'
import type { Observation } from '../../facts/facts.ts'
import type { Carried } from '../../facts/hostDocument.ts'
import { SCORE_VERSION } from '../spec.ts'
import { type Memory, NO_MEMORY, remember } from './memory.ts'
import { pack, unpack } from './pack.ts'

/** Result of carrying an endpoint over some looks. */
export type CarriedOn = {
  readonly carried: Carried
  /** Days that ended with these looks, oldest first. */
  readonly days: readonly DailyMeasurements[]
}

/** Carried state before the first look. */
export const NOTHING_CARRIED: Carried = { scoreVersion: SCORE_VERSION, lastAt: 0 }

/**
 * Carries what a judgement needs over some looks at one endpoint. Carrying over all looks at once or over each in turn
 * gives the same. The carried state is below 6 kB of JSON for an ordinary endpoint of 720 looks, and below 128 kB for any
 * seller.
 * @param looks oldest first, none before the last one carried; control probes are left out
 */
export function carry(before: Carried | undefined, looks: readonly Observation[]): CarriedOn {
  const last = looks.findLast(isOwn)
  if (last === undefined) return { carried: before ?? NOTHING_CARRIED, days: [] }
  const { memory, days } = rememberAll(recall(before), looks)
  const carried = { scoreVersion: SCORE_VERSION, lastAt: last.at, memory: pack(memory) }
  recalled.set(carried, memory)
  return { carried, days }
}

const isOwn = ({ purpose }: Observation) => purpose !== 'control'

/** Adds looks, oldest first, to what is remembered; control probes are left out. Returns the days that ended too. */
export function rememberAll(
  before: Memory,
  looks: readonly Observation[],
): { readonly memory: Memory; readonly days: readonly DailyMeasurements[] } {
  let memory = before
  const days: DailyMeasurements[] = []
  for (const look of looks.filter(isOwn)) {
    const after = remember(memory, look)
    memory = after.memory
    if (after.ended !== null) days.push(after.ended)
  }
  return { memory, days }
}

/** Whether the rules of this version made what is carried; others make it anew from the looks. */
export const isCurrent = ({ scoreVersion }: Carried): boolean => scoreVersion === SCORE_VERSION

/** Caches what was unpacked, since one look reads it several times. */
const recalled = new WeakMap<Carried, Memory>()

/** Unpacks what is carried. */
export function recall(carried: Carried | undefined): Memory {
  if (carried?.memory === undefined) return NO_MEMORY
  const known = recalled.get(carried)
  if (known !== undefined) return known
  // Only `carry` of the same version makes it.
  const memory = unpack(carried.memory) as Memory
  recalled.set(carried, memory)
  return memory
}
