import type { Profile, VerdictCode } from '@touchstone402/shared'
import { describeStatus } from '../../domain/catalog.ts'
import type { Time } from '../../domain/facts.ts'
import { describeProfile } from '../../domain/profile.ts'
import type { PageDeps } from './pageDeps.ts'

const MINUTE = 60_000
/** A crawl changes something all the time; describing every host for each request would hold everybody else up. */
const REST_MS = 5_000

const VERDICT_ORDER: readonly VerdictCode[] = ['safe', 'caution', 'avoid', 'unknown']

/** Every service's profile, best first, and the state of the ecosystem; made anew a little after something changed, and each minute. */
export type ServiceList = () => {
  readonly services: readonly Profile[]
  readonly status: ReturnType<typeof describeStatus>
  readonly now: Time
}

/** Makes the list that dashboards and indexes share. */
export function createServiceList({ readModel, clock }: Pick<PageDeps, 'readModel' | 'clock'>): ServiceList {
  let made: (Omit<ReturnType<ServiceList>, 'now'> & { revision: number; at: Time }) | null = null
  return () => {
    const now = clock.now()
    const revision = readModel.revision()
    if (made === null || now - made.at >= (made.revision === revision ? MINUTE : REST_MS)) {
      const services = readModel
        .hosts()
        .filter(({ endpoints }) => endpoints.length > 0)
        .map((document) => describeProfile(document, now))
        .sort(
          (a, b) =>
            VERDICT_ORDER.indexOf(a.verdict) - VERDICT_ORDER.indexOf(b.verdict) ||
            (b.trustScore ?? -1) - (a.trustScore ?? -1) ||
            a.host.localeCompare(b.host),
        )
      made = { revision, at: now, services, status: describeStatus(readModel.hosts(), now) }
    }
    return { services: made.services, status: made.status, now }
  }
}
