import {
  type AuditContext,
  type Auditor,
  type Clock,
  countIds,
  createAuditContext,
  createAuditor,
  createCrawler,
  createHostDirectory,
  createHostDocuments,
  createMemoryStore,
  createReadModel,
  type Directory,
  NO_PARTS,
  type Prober,
  QUIET,
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
  const hostDocuments = createHostDocuments({ parse: async (texts) => readHostPage(texts), now: clock.now })
  const fetchDocument = (url: string) => prober.document(url)
  const hostDirectory = createHostDirectory({
    origins: () => documented,
    readHost: async (origin) => (await hostDocuments.read(origin, fetchDocument)).page,
  })
  const ids = countIds()
  const audit: AuditContext = {
    ...createAuditContext(
      { ...QUIET, clock, ids, random, store },
      {
        ...NO_PARTS,
        prober,
        readModel: { ...NO_PARTS.readModel, categoryPrice: readModel.categoryPrice },
        readDeclared: async (_, origin) =>
          documented.includes(origin) ? readHostRows(hostDocuments, prober, origin) : [],
      },
    ),
    chain: createSimulatedSource(world.funding ?? [], start),
    receivers: createSimulatedProfiler(store, clock, historyOf, world.isSanctioned),
  }
  const auditor = createAuditor(audit)
  let failure: unknown = null
  const fail = (error: unknown) => {
    failure ??= error
    ending.abort()
  }
  const config = { crawlConcurrency: world.isSequential === true ? 1 : 16, databaseUrl: null }
  const crawler = createCrawler(
    {
      clock,
      config,
      ids,
      log: (level, message) => void (level === 'warn' && fail(new Error(message))),
      store,
    },
    {
      auditor: watch(auditor, clock, store),
      hostLeases: audit.hostLeases,
      directories: [...world.directoriesAt(clock), hostDirectory],
      sliceMs: 15_000,
      lead: async () => {},
    },
  )
  await crawler.run(ending.signal)
  await prober.close()
  if (failure !== null) throw failure
  return { store, skipped: crawler.progress().skipped }
}
