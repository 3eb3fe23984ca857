import { setTimeout as sleep } from 'node:timers/promises'
import {
  aListing,
  anObservation,
  aState,
  readDue,
  readObservations,
  type Store,
} from '@touchstone402/server/testing'

/** Time of the work, before everything else of the campaign is due. */
const AT = Date.UTC(1990, 0, 1)
/** Number of hosts that are worked on at once. */
const AT_ONCE = 4

const endpointOf = (host: string) => `https://${host}/a`

/** Returns the hosts that are to be worked on from a round on. */
export const hostsOf = (round: number): string[] =>
  Array.from({ length: 20 }, (_, index) => `work${round}-${index}.example`)

/** Lists hosts, so that they are due. */
export async function offer(store: Store, hosts: readonly string[]): Promise<void> {
  await store.write(
    'append',
    hosts.map((host) =>
      aListing({ id: host, at: AT, host, endpoint: endpointOf(host), url: endpointOf(host) }),
    ),
  )
}

/**
 * Works on due hosts as a crawl does, each under its lease, until all that are left are leased.
 * @param pauseMs how long the work at an endpoint takes. @default 0
 */
export async function workOff(store: Store, pauseMs = 0): Promise<void> {
  for (;;) {
    const taken = await store.write('takeHosts', AT, {
      most: AT_ONCE,
      mostPerDomain: AT_ONCE,
      busy: new Map(),
    })
    if (taken.length === 0) return
    await Promise.all(
      taken.map(async (lease) => {
        for (const endpoint of await readDue(store, lease.name, AT, 1)) {
          await sleep(pauseMs)
          const probe = anObservation({ id: lease.name, at: AT, endpoint, host: lease.name })
          const state = aState({ endpoint, derivedAt: AT, nextProbeAt: Date.UTC(2100, 0, 1) })
          await store.write('putEndpoint', state, { facts: [probe], days: [], lease })
        }
        await store.write('releaseLease', lease, AT)
      }),
    )
  }
}

/** Counts hosts that were not worked on exactly once. */
export async function countUndone(store: Store, hosts: readonly string[]): Promise<number> {
  let undone = 0
  for (const host of hosts) if ((await readObservations(store, endpointOf(host))).length !== 1) undone++
  return undone
}
