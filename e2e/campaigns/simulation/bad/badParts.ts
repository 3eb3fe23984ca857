import { amountOf } from '../honest/honestParts.ts'
import { addressOf, BASE, usdcEntry } from '../names.ts'
import type { Claim, Entry, Fault, Host, Phase } from '../types.ts'

export const OWN: Claim = {
  directory: 'bazaar',
  method: 'GET',
  price: 'follows',
  isRefreshed: true,
  calls: 40,
}
export const END = 1000

export type Change = Partial<Omit<Phase, 'fromDay'>>
export type Wrong = Omit<Fault, 'fromDay' | 'toDay'> & { toDay?: number }

/** Creates a host that is honest until a day and faulty from then on. */
export function turning(
  kind: string,
  index: number,
  day: number,
  change: Change,
  wrong: Wrong,
  more: Partial<Host> = {},
) {
  const host = nameOf(kind, index)
  const good: Phase = { fromDay: 0, reply: 'challenge', entries: [entryOf(host, index)] }
  return {
    host,
    kind,
    isHonest: false,
    category: `c${(index + kind.length) % 8}`,
    wire: (['v2', 'both', 'v1'] as const)[index % 3] ?? 'v2',
    phases: day === 0 ? [{ ...good, ...change }] : [good, { ...good, fromDay: day, ...change }],
    claim: OWN,
    faults: [{ fromDay: day, toDay: END, ...wrong }],
    ...more,
  } satisfies Host
}

export const nameOf = (kind: string, index: number) => `${kind}-${index}.bad.test`
export const entryOf = (host: string, index: number): Entry =>
  usdcEntry(BASE, addressOf(host), amountOf(index))
export const stolen = (kind: string, index: number, entry = entryOf(nameOf(kind, index), index)): Entry => ({
  ...entry,
  payTo: addressOf(`thief of ${nameOf(kind, index)}`),
})

export type Maker = (kind: string, index: number, day: number) => Host | Promise<Host>

/** Returns the start day of a fault: the first day for every other host, else a later one. */
export const sometimes = (index: number, day: number) => (index % 2 === 0 ? 0 : day)

/** A kind of bad host, and the number of such hosts. */
export type BadKind = { readonly kind: string; readonly count: number; readonly make: Maker }
