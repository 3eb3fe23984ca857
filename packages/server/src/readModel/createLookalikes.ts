import { registeredDomainOf } from '@touchstone402/shared'
import { isInternational, skeletonOf } from '../facts/hostNames/hostNames.ts'
import { MINUTE } from '../facts/times.ts'
import { readHosts } from '../store/hosts.ts'
import type { Store } from '../store/store.ts'

/** Names change slowly. */
const KEPT_MS = 10 * MINUTE
/** Hosts that are read at once. */
const PAGE = 2_000
/** Hosts that are compared at most, the oldest first. */
const MAX_HOSTS = 500_000

/** The oldest listed host of each skeleton, of its whole name and of its registrable domain. */
type Oldest = { readonly byName: Map<string, string>; readonly byDomain: Map<string, string> }

/**
 * Creates a look-up of the older listed host that a host looks like, by its whole name or its registrable domain. Names are
 * read only once a host with characters beyond ASCII is asked for.
 */
export function createLookalikes(
  store: Store,
  now: () => number,
): (host: string) => Promise<string | undefined> {
  let kept: { readonly at: number; readonly oldest: Promise<Oldest> } | undefined

  return async (host) => {
    if (!isInternational(host)) return undefined
    if (kept === undefined || now() - kept.at >= KEPT_MS) {
      const entry = { at: now(), oldest: readOldest(store, now()) }
      kept = entry
      entry.oldest.catch(() => {
        if (kept === entry) kept = undefined
      })
    }
    const { byName, byDomain } = await kept.oldest
    const domain = registeredDomainOf(host)
    const [named, owned] = [byName.get(skeletonOf(host)), byDomain.get(skeletonOf(domain))]
    const isOther = (one: string | undefined) => one !== undefined && !isSameName(one, host)
    if (isOther(named)) return named
    return owned !== undefined && registeredDomainOf(owned) !== domain ? owned : undefined
  }
}

const isSameName = (a: string, b: string) => withoutPort(a) === withoutPort(b)
const withoutPort = (host: string) => host.replace(/:\d+$/, '')

async function readOldest(store: Store, at: number): Promise<Oldest> {
  const byName = new Map<string, string>()
  const byDomain = new Map<string, string>()
  for (let skip = 0; skip < MAX_HOSTS; skip += PAGE) {
    const hosts = await readHosts(store, { order: 'age', skip, limit: PAGE }, at)
    for (const host of hosts) {
      putFirst(byName, skeletonOf(host), host)
      putFirst(byDomain, skeletonOf(registeredDomainOf(host)), host)
    }
    if (hosts.length < PAGE) break
  }
  return { byName, byDomain }
}

function putFirst(oldest: Map<string, string>, key: string, host: string): void {
  if (!oldest.has(key)) oldest.set(key, host)
}
