import type { Host } from '../types.ts'
import { BAD_ANSWERS } from './badAnswers.ts'
import { BAD_CLOAKS } from './badCloaks.ts'
import { BAD_RECEIVERS } from './badReceivers.ts'
import { BAD_TERMS } from './badTerms.ts'

const BAD_KINDS = [...BAD_RECEIVERS, ...BAD_CLOAKS, ...BAD_TERMS, ...BAD_ANSWERS]

/**
 * Returns the bad hosts.
 * @param dayOf spreads the start days of faults over the simulated time
 */
export async function badHosts(dayOf: (index: number) => number): Promise<Host[]> {
  const hosts: Host[] = []
  for (const { kind, count, make } of BAD_KINDS) {
    for (let index = 0; index < count; index++) hosts.push(await make(kind, index, dayOf(hosts.length)))
  }
  return hosts
}
