import type { Profile } from '@touchstone402/shared'
import { describeStatus } from '../domain/publish/catalog.ts'
import { rankServices } from '../domain/publish/dataset.ts'
import { describeProfile } from '../domain/publish/profile.ts'
import { tallyHosts } from '../domain/publish/tally.ts'
import { createBreathe } from '../readModel/createBreathe.ts'
import { keepMade } from '../readModel/keepMade.ts'
import type { PageDeps } from './pageDeps.ts'

// A running crawl changes the read model continuously, and describing every host is expensive.
const REST_MS = 5_000

/** Every service's profile, best first, and the state of the ecosystem. */
export type ServiceList = Awaited<ReturnType<ReturnType<typeof createServiceList>>>

/** Creates the list that the dashboard and the JSON index share. It is cached, and refreshed after changes and every minute. */
export function createServiceList({ readModel, clock }: Pick<PageDeps, 'readModel' | 'clock'>) {
  const make = async () => {
    const now = clock.now()
    const breathe = createBreathe()
    const hosts = readModel.hosts()
    const ranked = await rankServices(hosts, { all: true, limit: hosts.length }, now, breathe)
    const services: Profile[] = []
    for (const document of ranked.services) {
      const pause = breathe()
      if (pause !== undefined) await pause
      if (document.endpoints.length > 0) services.push(describeProfile(document, now))
    }
    return { services, status: describeStatus(await tallyHosts(hosts, now, breathe)) }
  }
  const kept = keepMade({ readModel, clock, make, restMs: REST_MS })
  return async () => ({ ...(await kept.get()), now: clock.now() })
}
