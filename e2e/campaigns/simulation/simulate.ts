import {
  type Auditor,
  createAnnouncementReader,
  createAuditor,
  createCrawler,
  createMemoryStore,
  createOptOutReader,
  createReadModel,
  type EndpointState,
  type Store,
} from '@touchstone402/server/parts'
import { seededRandom } from '../../support/random.ts'
import { createDiscreteClock } from './discreteClock.ts'
import { chainHistories, sanctionsList } from './hosts.ts'
import { addressOf, BASE } from './names.ts'
import { createSimulatedProfiler, createSimulatedSource } from './simulatedChain.ts'
import { createSimulatedDirectory } from './simulatedDirectory.ts'
import { createSimulatedProber } from './simulatedProber.ts'
import { createSellers } from './simulatedSeller.ts'
import type { Host } from './types.ts'

const DAY = 86_400_000
const START = Date.UTC(2026, 0, 5)

/** Verdict on a host after a probe. */
export type Sample = {
  /** Days since the start. */
  readonly day: number
  readonly endpoint: string
  /** Day on which the verdict expires. */
  readonly expiresOnDay: number
  readonly verdict: EndpointState['verdict']
  readonly score: number | null
  readonly flags: readonly string[]
}

/** Crawls the simulated hosts with the real crawler, auditor, store and read model. */
export async function simulate(
  hosts: readonly Host[],
  { days, seed }: { days: number; seed: number },
): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const ending = new AbortController()
  const clock = createDiscreteClock(START, START + days * DAY, () => ending.abort())
  const random = seededRandom(seed)
  const byName = new Map(hosts.map((host) => [host.host, host]))
  const store = createMemoryStore({ now: clock.now })
  const readModel = await createReadModel(store, { now: clock.now })
  const prober = createSimulatedProber(byName, clock, START, createSellers(seededRandom(seed + 1)))
  let ids = 0
  const newId = (prefix: string) => `${prefix}_${++ids}`
  const source = createSimulatedSource(
    hosts.flatMap(({ funding = [] }) => funding),
    START,
  )
  const auditor = createAuditor({
    store,
    prober,
    categoryPrice: readModel.categoryPrice,
    profiler: createSimulatedProfiler(store, clock, chainHistories(hosts), sanctionsList(hosts, START)),
    announcements: createAnnouncementReader({ prober, source, clock, newId }),
    optOut: createOptOutReader({ prober, clock }),
    // The hosts publish no documents.
    readDeclared: async () => [],
    clock,
    random,
    newId,
  })
  const samples = new Map<string, Sample[]>(hosts.map(({ host }) => [host, []]))
  const shopper = createShopper(store, newId)
  const watched: Auditor = {
    ...auditor,
    async look(endpoint) {
      const host = byName.get(new URL(endpoint).host)
      const day = (clock.now() - START) / DAY
      if (host !== undefined) await shopper(host, day)
      const look = await auditor.look(endpoint)
      const { verdict, score, flags, expiresAt } = look.state
      const expiresOnDay = ((expiresAt ?? clock.now()) - START) / DAY
      samples.get(host?.host ?? '')?.push({ day, endpoint, expiresOnDay, verdict, score, flags })
      return look
    },
  }
  const crawler = createCrawler({
    auditor: watched,
    store,
    clock,
    newId,
    directories: (['bazaar', '402index'] as const).map((name) =>
      createSimulatedDirectory(name, hosts, clock, START),
    ),
    // Sequential, so that each run draws the same random numbers.
    concurrency: 1,
    onError: (_directory, error) => fail(error),
    onLookError: (_endpoint, error) => fail(error),
  })
  let failure: unknown = null
  const fail = (error: unknown) => {
    failure ??= error
    ending.abort()
  }
  await crawler.run(ending.signal)
  if (failure !== null) throw failure
  return samples
}

/** Records the scripted test purchases of a host on their days. */
function createShopper(store: Store, newId: (prefix: string) => string) {
  const done = new Set<string>()
  return async ({ host, purchases = [] }: Host, day: number): Promise<void> => {
    for (const { atDay, delivered } of purchases) {
      if (atDay > day || done.has(`${host} ${atDay}`)) continue
      done.add(`${host} ${atDay}`)
      await store.append([
        {
          kind: 'purchase',
          id: newId('pur'),
          at: START + atDay * DAY,
          endpoint: `https://${host}/api`,
          host,
          network: BASE,
          payTo: addressOf(host),
          amountAtomic: '10000',
          settled: true,
          delivered,
          txHash: `0x${'cd'.repeat(32)}`,
        },
      ])
    }
  }
}
