import { BAD_RECEIVERS } from './badReceivers.ts'
import { BAD_TERMS } from './badTerms.ts'
import type { Host } from './types.ts'

/**
 * Returns the 100 bad hosts.
 * @param dayOf spreads the start days of faults over the simulated time
 */
export async function badHosts(dayOf: (index: number) => number): Promise<Host[]> {
  const hosts: Host[] = []
  for (const { kind, count, make } of [...BAD_RECEIVERS, ...BAD_TERMS]) {
    for (let index = 0; index < count; index++) hosts.push(await make(kind, index, dayOf(hosts.length)))
  }
  return hosts
}
