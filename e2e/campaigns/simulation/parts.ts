import { addressOf, BASE, usdcEntry } from './world/names.ts'
import type { Claim, Entry, Fault, Host, Phase } from './world/types.ts'

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
/** The last day of a fault without an end. */
export const END = 1000

/** A host that is not made yet. */
export type Seed = {
  /** Number among the hosts of its kind. */
  readonly index: number
  /** When the host changes, if it does. */
  readonly day: number
  readonly host: string
  /** Its usual entry: USDC on Base. */
  readonly entry: Entry
}

/** A kind of host, and the number of such hosts. */
export type Kind = {
  readonly count: number
  make(index: number, day: number): Promise<readonly Host[]>
}

/** Behavior of a host from a day on, where it is not the usual one. */
export type Change = Partial<Omit<Phase, 'fromDay'>>

/** Another host that belongs to one: what differs from it. */
type Relative = Partial<Host> & Pick<Host, 'host'>

type Plan = Partial<Host> & { readonly also?: readonly Relative[] }
type HonestPlan = Plan & { readonly phase?: Partial<Phase> }
type BadPlan = Plan & {
  /** First day of the fault. @default the first one for every other host, else a later one */
  readonly from?: number
  readonly change?: Change
  readonly wrong: Wrong
}
/** Verdict and flags that a fault of a host requires. */
export type Wrong = Omit<Fault, 'fromDay' | 'toDay'> & { toDay?: number }

/** Returns an amount around a cent, so that categories have a median price. */
export const amountOf = (index: number) => `${8000 + 500 * (index % 9)}`

/** Returns an entry at another amount. */
export const times = (entry: Entry, factor: number): Entry => ({
  ...entry,
  amountAtomic: `${Math.round(Number(entry.amountAtomic) * factor)}`,
})

/** Returns an entry that names a thief as the receiver. */
export const stolen = (host: string, entry: Entry): Entry => ({
  ...entry,
  payTo: addressOf(`thief of ${host}`),
})

/** A phase with a challenge. */
export const asks = (fromDay: number, entries: readonly Entry[], more: Partial<Phase> = {}): Phase => ({
  fromDay,
  reply: 'challenge',
  entries,
  ...more,
})

/** Creates a kind of honest hosts. Its plan overrides parts of the usual one. */
export const honest = (kind: string, count: number, plan: (seed: Seed) => HonestPlan | Promise<HonestPlan>) =>
  createKind(kind, count, 'honest', async (seed) => {
    const { phase, ...rest } = await plan(seed)
    const claim = seed.index % 3 === 0 ? LISTED : OWN
    return { isHonest: true, phases: [asks(0, [seed.entry], phase)], claim, faults: [], ...rest }
  })

/** Creates a kind of hosts that are honest until a day and faulty from then on. */
export const bad = (kind: string, count: number, plan: (seed: Seed) => BadPlan | Promise<BadPlan>) =>
  createKind(kind, count, 'bad', async (seed) => {
    const { from = seed.index % 2 === 0 ? 0 : seed.day, change = {}, wrong, ...rest } = await plan(seed)
    const good = [asks(0, [seed.entry])]
    return {
      isHonest: false,
      phases: [...(from === 0 ? [] : good), asks(from, [seed.entry], change)],
      claim: { ...OWN, calls: 40 },
      faults: [{ fromDay: from, toDay: END, ...wrong }],
      ...rest,
    }
  })

function createKind(
  kind: string,
  count: number,
  character: string,
  make: (seed: Seed) => Promise<Omit<Host, 'host' | 'kind' | 'category'> & Plan>,
): Kind {
  return {
    count,
    async make(index, day) {
      const host = `${kind}-${index}-${character}.test`
      const entry = usdcEntry(BASE, addressOf(host), amountOf(index))
      const wire = (['v2', 'both', 'v1'] as const)[index % 3] ?? 'v2'
      const category = `c${(index + kind.length) % 8}`
      const { also = [], ...made } = await make({ index, day, host, entry })
      const own: Host = { host, kind, category, wire, ...made }
      return [own, ...also.map((other) => ({ ...own, ...other }))]
    },
  }
}
