import {
  type Auditor,
  type Clock,
  createAnnouncementReader,
  createAuditor,
  createCrawler,
  createHostDirectory,
  createHostDocuments,
  createHostLeases,
  createMemoryStore,
  createOptOutReader,
  createReadModel,
  createReceiverProofReader,
  type Directory,
  type Prober,
  readHostPage,
  readHostRows,
  type Store,
} from '@touchstone402/server/testing'
import { createDiscreteClock } from './discreteClock.ts'
import { createSimulatedProfiler, createSimulatedSource } from './simulatedChain.ts'
import type { ChainHistory, Funding } from './types.ts'

const DAY = 86_400_000

/** Sellers, directories and chain of a crawl over simulated days. */
export type CrawledWorld = {
  /** Unix time of day 0, in ms. */
  readonly start: number
  readonly days: number
  readonly random: () => number
  proberAt(clock: Clock): Prober
  directoriesAt(clock: Clock): readonly Directory[]
  /** Origins of hosts that publish documents, which declare their endpoints. @default none */
  readonly documented?: readonly string[]
  /** @default every receiver has had a few payments */
  readonly historyOf?: (address: string) => ChainHistory
  readonly isSanctioned?: (address: string, at: number) => boolean
  readonly funding?: readonly Funding[]
  /** Probes one at a time, so that each run draws the same random numbers. */
  readonly isSequential?: boolean
  /** Wraps the auditor. */
  readonly watch?: (auditor: Auditor, clock: Clock, store: Store) => Auditor
}

/** Crawls with the real crawler, auditor, store and read model. @throws what the crawl or a probe failed with */
export async function crawlDays(world: CrawledWorld) {
  const {
    start,
    days,
    random,
    historyOf = () => 'few',
    watch = (auditor) => auditor,
    documented = [],
  } = world
  const ending = new AbortController()
  const clock = createDiscreteClock(start, start + days * DAY, () => ending.abort())
  const store = createMemoryStore()
  const readModel = await createReadModel(store, { now: clock.now })
  const prober = world.proberAt(clock)
  let ids = 0
  const newId = (prefix: string) => `${prefix}_${++ids}`
  const source = createSimulatedSource(world.funding ?? [], start)
  const hostDocuments = createHostDocuments({ parse: async (texts) => readHostPage(texts), now: clock.now })
  const fetchDocument = (url: string) => prober.document(url)
  const hostDirectory = createHostDirectory({
    origins: () => documented,
    readHost: async (origin) => (await hostDocuments.read(origin, fetchDocument)).page,
  })
  const hostLeases = createHostLeases({ leases: store, clock })
  const optOut = createOptOutReader({ prober, clock })
  const auditor = createAuditor({
    store,
    hostLeases,
    prober,
    clock,
    random,
    newId,
    categoryPrice: readModel.categoryPrice,
    profiler: createSimulatedProfiler(store, clock, historyOf, world.isSanctioned),
    announcements: createAnnouncementReader({ prober, source, clock, newId }),
    optOut,
    receiverProofs: createReceiverProofReader({ documents: optOut, contracts: null, clock, newId }),
    readDeclared: async (origin) =>
      documented.includes(origin) ? readHostRows(hostDocuments, prober, origin) : [],
  })
  let failure: unknown = null
  const fail = (error: unknown) => {
    failure ??= error
    ending.abort()
  }
  const crawler = createCrawler({
    auditor: watch(auditor, clock, store),
    store,
    hostLeases,
    clock,
    newId,
    directories: [...world.directoriesAt(clock), hostDirectory],
    sliceMs: 15_000,
    ...(world.isSequential && { concurrency: 1 }),
    onError: (_directory, error) => fail(error),
    onProbeError: (_endpoint, error) => fail(error),
  })
  await crawler.run(ending.signal)
  await prober.close()
  if (failure !== null) throw failure
  return { store, skipped: crawler.progress().skipped }
}
