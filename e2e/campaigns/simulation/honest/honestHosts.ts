import type { Host } from '../types.ts'
import { HONEST_ANSWERS } from './honestAnswers.ts'
import { HONEST_PAYMENTS } from './honestPayments.ts'
import { HONEST_PRICES } from './honestPrices.ts'
import { HONEST_RECEIVERS } from './honestReceivers.ts'

/**
 * Returns the honest hosts.
 * @param dayOf spreads changes over the simulated time
 */
export async function honestHosts(dayOf: (index: number) => number): Promise<Host[]> {
  const hosts: Host[] = []
  for (const { count, make } of [
    ...HONEST_RECEIVERS,
    ...HONEST_PRICES,
    ...HONEST_ANSWERS,
    ...HONEST_PAYMENTS,
  ]) {
    for (let index = 0; index < count; index++) hosts.push(await make(index, dayOf(hosts.length)))
  }
  return hosts
}
