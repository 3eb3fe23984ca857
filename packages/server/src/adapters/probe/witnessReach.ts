import { isPublicAddress, parseIpAddress } from '@touchstone402/shared'

/** Where a connection leads: the address, and the place (`host:port`) that it was dialled for. */
export type Dialled = { readonly address: string; readonly place: string }

/** Tells a host that is out of reach from a way out that is shut. */
export type ReachWitness = {
  /** Notes that a connection was opened. */
  opened(dialled: Dialled): void
  /** Notes that nothing came back in time; says whether that speaks against the host, and not against our own way. */
  unanswered(dialled: Dialled): boolean
}

/** How long one opened connection vouches for the way out, ms. */
const WITNESS_MS = 10 * 60_000
/** When so many other places have been silent since anything opened, the way out is the likelier cause. */
const MAX_SILENT = 2

/** Both sides of one kind of way: what was opened last, what before it at another place, and who was silent since. */
type Way = { last?: Opening; other?: Opening; readonly silent: Set<string> }
type Opening = { readonly at: number; readonly place: string }

/**
 * Creates the witness. A line that drops packets makes every host look down, so silence counts against a host only
 * when a connection to another place was opened within the last ten minutes over the same kind of way: IPv4 or IPv6,
 * and public or, in development, private.
 */
export function createReachWitness(now: () => number = Date.now): ReachWitness {
  const ways = new Map<string, Way>()
  const wayOf = (address: string): Way => {
    const name = `${parseIpAddress(address)?.family}/${isPublicAddress(address)}`
    const way = ways.get(name) ?? { silent: new Set<string>() }
    ways.set(name, way)
    return way
  }
  return {
    opened({ address, place }) {
      const way = wayOf(address)
      if (way.last !== undefined && way.last.place !== place) way.other = way.last
      way.last = { at: now(), place }
      way.silent.clear()
    },
    unanswered({ address, place }) {
      const { last, other, silent } = wayOf(address)
      const witness = last?.place === place ? other : last
      if (silent.size <= MAX_SILENT) silent.add(place)
      const isAlone = silent.size <= MAX_SILENT
      return isAlone && witness !== undefined && now() - witness.at <= WITNESS_MS
    },
  }
}
