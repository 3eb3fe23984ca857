import type { StatusFeed, VerdictCode } from '@touchstone402/shared'
import { describeStatus } from '../../domain/publish/catalog.ts'
import { keepMade } from '../../readModel/keepMade.ts'
import { readTally } from '../../readModel/readTally.ts'
import type { PageDeps } from '../pageDeps.ts'

// A running crawl changes the totals continuously.
const REST_MS = 5_000

/** The state of the ecosystem, and the number of services by verdict. */
export type OverviewFacts = {
  readonly status: Omit<StatusFeed, 'dataset'>
  readonly hosts: number
  readonly hostVerdicts: Readonly<Partial<Record<VerdictCode, number>>>
}

/** Creates a cached reader of the overview. */
export function createOverviewReader({ store, readModel, clock }: PageDeps): () => Promise<OverviewFacts> {
  const make = async () => {
    const tally = await readTally(store, clock.now())
    return { status: describeStatus(tally), hosts: tally.hosts, hostVerdicts: tally.hostVerdicts }
  }
  return keepMade({ readModel, clock, make, restMs: REST_MS }).get
}
