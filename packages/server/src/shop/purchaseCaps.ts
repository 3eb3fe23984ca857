import { isLoopback, networkAddressKey, siteOfHost } from '@touchstone402/shared'
import type { Context } from '../context.ts'
import type { Time } from '../facts/facts.ts'
import { DAY } from '../facts/times.ts'
import { readDocument } from '../store/documents.ts'

/** Time within which purchases of one registrable domain, or from one receiver, are counted. */
const WINDOW_MS = 7 * DAY
/** Purchases within it, confirmations of a failed one not counted. */
export const MOST_PER_SITE = 3
export const MOST_PER_RECEIVER = 3

/** Keys by which a purchase is counted. */
type Counted = { readonly host: string; readonly network: string; readonly payTo: string }

const KIND = 'purchase-cap'

/** Returns the registrable domain of a host; on this machine, where each port is a separate seller, the host itself. */
export function sellerOf(host: string): string {
  const site = siteOfHost(host)
  // Each name below localhost is its own domain.
  return isLoopback(site) && !site.endsWith('.localhost') ? host : site
}

type Counting = Pick<Context, 'store' | 'clock'>

/**
 * Returns the time from which a registrable domain may be bought from; 0 for now. Many hosts of one seller get no more than
 * one.
 */
export const siteFreeAt = (ctx: Counting, host: string): Promise<Time> =>
  freeAt(ctx, siteId(host), MOST_PER_SITE)

/** Returns the time from which a receiver may be paid; 0 for now. */
export const receiverFreeAt = (ctx: Counting, network: string, payTo: string): Promise<Time> =>
  freeAt(ctx, receiverId(network, payTo), MOST_PER_RECEIVER)

/** Counts a purchase. Resolves once that is durable. */
export async function notePurchase(ctx: Counting, { host, network, payTo }: Counted): Promise<void> {
  await add(ctx, siteId(host))
  await add(ctx, receiverId(network, payTo))
}

const siteId = (host: string) => `site ${sellerOf(host)}`
const receiverId = (network: string, payTo: string) => `receiver ${networkAddressKey(network, payTo)}`

async function read({ store, clock }: Counting, id: string): Promise<readonly Time[]> {
  const times = (await readDocument(store, KIND, id, clock.now()))?.data as readonly Time[] | undefined
  return (times ?? []).filter((at) => at > clock.now() - WINDOW_MS)
}

async function freeAt(ctx: Counting, id: string, most: number): Promise<Time> {
  const times = await read(ctx, id)
  return times.length < most ? 0 : (times.at(-most) ?? 0) + WINDOW_MS
}

async function add(ctx: Counting, id: string): Promise<void> {
  const { store, clock } = ctx
  const data = [...(await read(ctx, id)), clock.now()]
  const document = { kind: KIND, id, expiresAt: clock.now() + WINDOW_MS, data }
  await store.write('putDocument', document, clock.now())
}
