import { badHosts } from './bad.ts'
import { honestHosts } from './honest.ts'
import { addressOf } from './names.ts'
import type { ChainHistory, Host } from './types.ts'

/**
 * Every host of the simulation; changes are spread over the days between the second and the last but three.
 * @param days simulated days, at least 6
 */
export async function allHosts(days: number): Promise<Host[]> {
  const span = days - 5
  // A step that shares no factor with the hour of the day, so that changes fall at all times.
  const dayOf = (index: number) => Math.round(1000 * (2 + ((index * 0.377) % span))) / 1000
  return [...(await honestHosts(dayOf)), ...(await badHosts(dayOf))]
}

/** What the chain shows of each receiver of the scripts. */
export function chainHistories(hosts: readonly Host[]): (address: string) => ChainHistory {
  const histories = new Map<string, ChainHistory>()
  for (const [index, { host, kind, isHonest }] of hosts.entries()) {
    const own = isHonest ? (['established', 'dormant', 'few'] as const)[index % 3] : 'established'
    histories.set(addressOf(host).toLowerCase(), kind === 'never-paid' ? 'none' : (own ?? 'few'))
    const thief = addressOf(`thief of ${host}`).toLowerCase()
    histories.set(thief, kind === 'swap-to-established' ? 'established' : 'few')
  }
  return (address) => histories.get(address.toLowerCase()) ?? 'few'
}
