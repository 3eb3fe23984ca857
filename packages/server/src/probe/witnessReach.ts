import { isPublicAddress, parseIpAddress } from '@touchstone402/shared/addresses'

/** A dialled address, and the place (`host:port`) that it was dialled for. */
export type Dialled = { readonly address: string; readonly place: string }

/** Distinguishes an unreachable host from an outage of our own network. */
export type ReachWitness = {
  /** Records an opened connection. */
  opened(dialled: Dialled): void
  /** Records a timeout. Returns true if it counts against the host, false if our own network may be at fault. */
  unanswered(dialled: Dialled): boolean
}

/** How long an opened connection proves that our network works, ms. */
const WITNESS_MS = 10 * 60_000
/** If more places than this time out in a row, our network is the likelier cause. */
const MAX_SILENT = 2

type Opening = { readonly at: number; readonly place: string }
/** The last opening, the last one at another place, and the places that timed out since. */
type Route = { last?: Opening; other?: Opening; readonly silent: Set<string> }

/**
 * Creates a witness. A timeout counts against a host only if another host was reached within the last ten minutes over
 * the same kind of route: IPv4 or IPv6, public or (in development) private.
 */
export function createReachWitness(now: () => number = Date.now): ReachWitness {
  const routes = new Map<string, Route>()
  const routeOf = (address: string): Route => {
    const key = `${parseIpAddress(address)?.family}/${isPublicAddress(address)}`
    const route = routes.get(key) ?? { silent: new Set<string>() }
    routes.set(key, route)
    return route
  }
  return {
    opened({ address, place }) {
      const route = routeOf(address)
      if (route.last !== undefined && route.last.place !== place) route.other = route.last
      route.last = { at: now(), place }
      route.silent.clear()
    },
    unanswered({ address, place }) {
      const { last, other, silent } = routeOf(address)
      const witness = last?.place === place ? other : last
      if (silent.size <= MAX_SILENT) silent.add(place)
      const isAlone = silent.size <= MAX_SILENT
      return isAlone && witness !== undefined && now() - witness.at <= WITNESS_MS
    },
  }
}
