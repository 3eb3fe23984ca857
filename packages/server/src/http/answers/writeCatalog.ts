import { toTimestamp } from '../../domain/facts/times.ts'
import { rankPrefix } from '../../domain/publish/hostIndex.ts'
import { describeProfile } from '../../domain/publish/profile.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { createBreathe } from '../../readModel/createBreathe.ts'
import { listSummaries } from '../../readModel/listHosts.ts'
import { readTally } from '../../readModel/readTally.ts'
import { writeList } from './writeList.ts'

export type CatalogDeps = {
  readonly store: Pick<Store, 'ranked' | 'summary' | 'counts' | 'state'>
  readonly clock: Pick<Clock, 'now'>
}

/** Verdicts of the services in the catalog, best first. */
const VERDICTS = ['safe', 'caution'] as const

/** Writes the catalog: working services except those to avoid, best first, and the risk map of all endpoints. */
export async function* writeCatalog({ store, clock }: CatalogDeps): AsyncGenerator<string> {
  const now = clock.now()
  async function* profiles() {
    for (const verdict of VERDICTS) {
      for await (const summary of listSummaries(store, 'working', now, { prefix: rankPrefix(verdict) })) {
        const profile = describeProfile(summary, now)
        // It may have changed since the index was read.
        if (profile.verdict === verdict) yield profile
      }
    }
  }
  yield `{"asOf":${JSON.stringify(toTimestamp(now))},"services":[`
  yield* writeList(profiles(), (profile) => JSON.stringify(profile), createBreathe())
  yield `],"riskMap":${JSON.stringify((await readTally(store, now)).risks)}}`
}
