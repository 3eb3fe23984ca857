import type { Profile, VerdictCode } from '@touchstone402/shared'
import { describeStatus } from '../domain/publish/catalog.ts'
import { describeProfile } from '../domain/publish/profile.ts'
import { tallyHosts } from '../domain/publish/tally.ts'
import { createBreathe } from '../readModel/createBreathe.ts'
import { keepMade } from '../readModel/keepMade.ts'
import type { PageDeps } from './pageDeps.ts'

// A running crawl changes the read model continuously, and describing every host is expensive.
const REST_MS = 5_000

const VERDICT_ORDER: readonly VerdictCode[] = ['safe', 'caution', 'avoid', 'unknown']

/** Every service's profile, best first, and the state of the ecosystem. */
export type ServiceList = Awaited<ReturnType<ReturnType<typeof createServiceList>>>

/** Creates the list that the dashboard and the JSON index share. It is cached, and refreshed after changes and every minute. */
export function createServiceList({ readModel, clock }: Pick<PageDeps, 'readModel' | 'clock'>) {
  const make = async () => {
    const now = clock.now()
    const breathe = createBreathe()
    const services: Profile[] = []
    for (const document of readModel.hosts()) {
      const pause = breathe()
      if (pause !== undefined) await pause
      if (document.endpoints.length > 0) services.push(describeProfile(document, now))
    }
    // The sort is stable: ties stay in order of host name.
    services.sort(
      (a, b) =>
        VERDICT_ORDER.indexOf(a.verdict) - VERDICT_ORDER.indexOf(b.verdict) ||
        (b.trustScore ?? -1) - (a.trustScore ?? -1),
    )
    return { services, status: describeStatus(await tallyHosts(readModel.hosts(), now, breathe)) }
  }
  const kept = keepMade({ readModel, clock, make, restMs: REST_MS })
  return async () => ({ ...(await kept.get()), now: clock.now() })
}
