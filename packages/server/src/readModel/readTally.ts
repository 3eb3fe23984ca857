import type { Time } from '../domain/facts/facts.ts'
import { readProvider, readRanked } from '../domain/publish/hostIndex.ts'
import { describeRow } from '../domain/publish/profile.ts'
import { describeTally, TALLY_PREFIXES, type Tally } from '../domain/publish/tally.ts'
import type { Store } from '../ports/store.ts'

/** Length of the top lists. */
const TOP = 10

/** Reads the totals over all endpoints at a time. */
export async function readTally(
  store: Pick<Store, 'counts' | 'ranked' | 'state'>,
  now: Time,
): Promise<Tally> {
  const totals = new Map<string, number>()
  for (const prefix of TALLY_PREFIXES) {
    for (const [name, count] of await store.counts(prefix, now)) totals.set(name, count)
  }
  const topProviders = []
  for await (const key of store.ranked('providers', now, { limit: TOP })) topProviders.push(readProvider(key))
  const topHealthy = []
  for await (const key of store.ranked('healthy', now, { limit: TOP })) {
    const known = await store.state(readRanked(key))
    if (known !== undefined) topHealthy.push(describeRow(known.state, now))
  }
  return describeTally({ now, totals, topHealthy, topProviders })
}
