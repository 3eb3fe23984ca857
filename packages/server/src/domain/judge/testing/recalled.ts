import type { Observation } from '../../facts/facts.ts'
import { carry, recall } from '../memory/carried.ts'
import type { Memory } from '../memory/memory.ts'

/** Returns what is remembered of some looks, as the store would give it back. */
export function recalled(looks: readonly Observation[]): Memory {
  return recall(JSON.parse(JSON.stringify(carry(undefined, looks).carried)))
}
