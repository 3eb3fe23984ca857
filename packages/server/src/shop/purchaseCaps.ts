import { isLoopback, networkAddressKey, siteOfHost } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import { DAY } from '../facts/times.ts'
import type { Clock } from '../lib/clock.ts'
import { readDocument } from '../store/documents.ts'
import type { Store } from '../store/store.ts'

/** Time within which purchases of one registrable domain, or from one receiver, are counted. */
const WINDOW_MS = 7 * DAY
/** Purchases within it, confirmations of a failed one not counted. */
export const MOST_PER_SITE = 3
export const MOST_PER_RECEIVER = 3

/** Keys by which a purchase is counted. */
type Counted = { readonly host: string; readonly network: string; readonly payTo: string }

/** Limits purchases by registrable domain and by receiver, so that many hosts of one seller get no more than one. */
type PurchaseCaps = {
  /** Returns the time from which a domain may be bought from; 0 for now. */
  siteFreeAt(host: string): Promise<Time>
  /** Returns the time from which a receiver may be paid; 0 for now. */
  receiverFreeAt(network: string, payTo: string): Promise<Time>
  /** Counts a purchase. Resolves once that is durable. */
  note(counted: Counted): Promise<void>
}

const KIND = 'purchase-cap'

/** Returns the registrable domain of a host; on this machine, where each port is a separate seller, the host itself. */
export function sellerOf(host: string): string {
  const site = siteOfHost(host)
  // Each name below localhost is its own domain.
  return isLoopback(site) && !site.endsWith('.localhost') ? host : site
}

/** Creates the caps over a store, so that they survive a restart. */
export function createPurchaseCaps(documents: Store, { now }: Pick<Clock, 'now'>): PurchaseCaps {
  const siteId = (host: string) => `site ${sellerOf(host)}`
  const receiverId = (network: string, payTo: string) => `receiver ${networkAddressKey(network, payTo)}`
  const read = async (id: string): Promise<readonly Time[]> => {
    const times =
      ((await readDocument(documents, KIND, id, now()))?.data as readonly Time[] | undefined) ?? []
    return times.filter((at) => at > now() - WINDOW_MS)
  }
  const freeAt = async (id: string, most: number) => {
    const times = await read(id)
    return times.length < most ? 0 : (times.at(-most) ?? 0) + WINDOW_MS
  }
  const add = async (id: string) => {
    const data = [...(await read(id)), now()]
    await documents.write('putDocument', { kind: KIND, id, expiresAt: now() + WINDOW_MS, data }, now())
  }
  return {
    siteFreeAt: (host) => freeAt(siteId(host), MOST_PER_SITE),
    receiverFreeAt: (network, payTo) => freeAt(receiverId(network, payTo), MOST_PER_RECEIVER),
    async note({ host, network, payTo }) {
      await add(siteId(host))
      await add(receiverId(network, payTo))
    },
  }
}
