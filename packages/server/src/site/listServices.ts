import type { Profile, StatusFeed, VerdictCode } from '@touchstone402/shared'
import type { Time } from '../domain/facts/facts.ts'
import { describeStatus } from '../domain/publish/catalog.ts'
import { describeProfile } from '../domain/publish/profile.ts'
import { tallyHosts } from '../domain/publish/tally.ts'
import { createBreathe } from '../readModel/createBreathe.ts'
import { keepMade } from '../readModel/keepMade.ts'
import type { PageDeps } from './pageDeps.ts'

/** A crawl changes something all the time, and describing every host is much work. */
const REST_MS = 5_000

const VERDICT_ORDER: readonly VerdictCode[] = ['safe', 'caution', 'avoid', 'unknown']

/** Every service's profile, best first, and the state of the ecosystem; made anew a little after something changed, and each minute. */
export type ServiceList = () => Promise<{
  readonly services: readonly Profile[]
  readonly status: Omit<StatusFeed, 'dataset'>
  readonly now: Time
}>

/** Makes the list that dashboards and indexes share. */
export function createServiceList({ readModel, clock }: Pick<PageDeps, 'readModel' | 'clock'>): ServiceList {
  const make = async () => {
    const now = clock.now()
    const breathe = createBreathe()
    const services: Profile[] = []
    for (const document of readModel.hosts()) {
      const pause = breathe()
      if (pause !== undefined) await pause
      if (document.endpoints.length > 0) services.push(describeProfile(document, now))
    }
    // Equal ones stay in the order of their names.
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
