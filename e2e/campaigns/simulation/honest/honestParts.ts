import { addressOf, BASE, usdcEntry } from '../names.ts'
import type { Claim, Entry, Host, Phase } from '../types.ts'

/** A listing by the seller itself. */
export const OWN: Claim = {
  directory: 'bazaar',
  method: 'GET',
  price: 'follows',
  isRefreshed: true,
  calls: 120,
}
/** A listing by a third party. */
export const LISTED: Claim = {
  directory: '402index',
  method: null,
  price: 'stays',
  isRefreshed: false,
  calls: null,
}

/** Creates a host of a kind. @param day when the host changes, if it does */
export type Maker = (index: number, day: number) => Host | Promise<Host>

/** A kind of honest host, and the number of such hosts. */
export type HonestKind = { readonly kind: string; readonly count: number; readonly make: Maker }

/** Returns an amount around a cent, so that categories have a median price. */
export const amountOf = (index: number) => `${8000 + 500 * (index % 9)}`

export const nameOf = (kind: string, index: number) => `${kind}-${index}.honest.test`

/** Returns the usual entry of a host: USDC on Base. */
export const baseEntry = (kind: string, index: number): Entry =>
  usdcEntry(BASE, addressOf(nameOf(kind, index)), amountOf(index))

/** Returns an entry at another amount. */
export const times = (entry: Entry, factor: number): Entry => ({
  ...entry,
  amountAtomic: `${Math.round(Number(entry.amountAtomic) * factor)}`,
})

/** A phase with a challenge. */
export const asks = (fromDay: number, entries: readonly Entry[], more: Partial<Phase> = {}): Phase => ({
  fromDay,
  reply: 'challenge',
  entries,
  ...more,
})

/** Creates an honest host. Kinds override parts of it. */
export function honest(
  kind: string,
  index: number,
  more: Partial<Host> & { phase?: Partial<Phase> } = {},
): Host {
  const { phase, ...rest } = more
  return {
    host: nameOf(kind, index),
    kind,
    isHonest: true,
    category: `c${(index + kind.length) % 8}`,
    wire: (['v2', 'both', 'v1'] as const)[index % 3] ?? 'v2',
    phases: [asks(0, [baseEntry(kind, index)], phase)],
    claim: index % 3 === 0 ? LISTED : OWN,
    faults: [],
    ...rest,
  }
}
