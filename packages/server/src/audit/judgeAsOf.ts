import type { Change } from '@touchstone402/shared'
import type { Listing, Time } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { toHistory } from '../judge/history.ts'
import { readEndpointFacts, readHostFacts } from '../store/facts.ts'
import type { Store } from '../store/store.ts'
import { judgeFacts } from './judgeFacts.ts'
import { type KeptProbes, readRecords } from './readEndpoint.ts'

/**
 * Judges an endpoint again as of an earlier time, from the probes and facts recorded until then.
 * @param stored its stored state, for facts older than the probes, and for the category price and the shopping limits
 * @param how.probes those until that time
 * @param how.keepsListings whether a directory that has no listing until then counts with its later one, which may have
 * taken the place of the earlier one. @default false
 */
export async function judgeAsOf(
  store: Store,
  stored: EndpointState,
  how: { readonly now: Time; readonly probes: KeptProbes; readonly keepsListings?: boolean },
): Promise<EndpointState> {
  const { now, probes, keepsListings = false } = how
  const { endpoint, categoryPrice, lookalike, shopping = null, accusations = [] } = stored
  const facts = await readEndpointFacts(store, endpoint)
  const { announcements, control } = await readHostFacts(store, new URL(endpoint).host)
  const changes = facts.changes.filter(({ at }: Change) => Date.parse(at) <= now)
  const { state } = await judgeFacts({
    endpoint,
    history: toHistory({ ...probes, changes, before: stored }, now),
    facts: {
      listings: keepsListings ? listedUntil(facts.listings, now) : until(facts.listings, now),
      purchases: until(facts.purchases, now),
      changes,
      incidents: facts.incidents.filter(({ detectedAt }) => Date.parse(detectedAt) <= now),
    },
    host: {
      announcements: until(announcements, now),
      control: control !== undefined && control.at <= now ? control : undefined,
    },
    readRecords: (receivers) => readRecords(store, receivers, now),
    // The state keeps the incidents of that time, as it does the price.
    readAccusations: async () => accusations.filter(({ detectedAt }) => detectedAt <= now),
    categoryPrice: categoryPrice ?? undefined,
    lookalike,
    shopping,
    now,
    random: 0,
  })
  return state
}

/** Returns the listings until a time, and for a directory without any its first later one, as of that time. */
function listedUntil(listings: readonly Listing[], now: Time): readonly Listing[] {
  const known = until(listings, now)
  const names = new Set(known.map(({ directory }) => directory))
  const later = listings.toSorted((a, b) => a.at - b.at).filter(({ directory }) => !names.has(directory))
  const firsts = new Map(later.toReversed().map((listing) => [listing.directory, { ...listing, at: now }]))
  return [...known, ...firsts.values()]
}

const until = <T extends { readonly at: number }>(list: readonly T[], moment: number) =>
  list.filter(({ at }) => at <= moment)
