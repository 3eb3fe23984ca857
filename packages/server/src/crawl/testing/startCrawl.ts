import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { createHostLeases } from '../../audit/hostLeases.ts'
import type { Directory } from '../../directories/directory.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Log } from '../../lib/logging.ts'
import type { Store } from '../../store/store.ts'
import { aState } from '../../store/testing/documents.ts'
import { aListing, anObservation } from '../../store/testing/records.ts'
import { countIds } from '../../testing/countIds.ts'
import { type CrawlParts, createCrawler } from '../createCrawler.ts'

const HOUR = 3_600_000

/** Lists one endpoint of each host, `https://HOST/a`. */
export const directoryOf = (name: string, hosts: readonly string[]): Directory => ({
  name,
  async *pages() {
    const rows = hosts.map((host) => aListing({ host, endpoint: `https://${host}/a`, directory: name }))
    yield { rows, skipped: {} }
  },
})

/** Lists endpoints that are due at once. */
export async function list(store: Store, endpoints: readonly string[]): Promise<void> {
  await store.write(
    'append',
    endpoints.map((endpoint, index) =>
      aListing({ id: `l${index}`, at: index, endpoint, host: new URL(endpoint).host }),
    ),
  )
}

/** Probes shared by all crawlers of a test. */
export type Probes = {
  /** Probed endpoints, in order. */
  readonly probed: string[]
  /** Hosts under probe, with the number of their probes. */
  readonly under: Map<string, number>
  /** Number of probes of a host that was under probe already. */
  overlaps: number
  /** Runs before each probe ends. */
  during: (endpoint: string) => Promise<unknown>
}

/** Creates the record of probes, which take a millisecond. */
export function createProbes(during: Probes['during'] = () => sleep(1)): Probes {
  return { probed: [], under: new Map(), overlaps: 0, during }
}

/** How a crawler of a test differs from one that crawls alone and lists nothing. */
type Changes = Partial<CrawlParts> & {
  readonly clock?: Clock
  readonly crawlConcurrency?: number
  readonly databaseUrl?: string
}

/** Starts the crawler of one process, whose probes write under their lease. It stops when the test ends. */
export function startCrawl(
  store: Store,
  probes: Probes,
  { clock = systemClock, crawlConcurrency = 16, databaseUrl, ...changes }: Changes = {},
) {
  const errors: string[] = []
  const log: Log = (level, message) => void (level === 'warn' && errors.push(message))
  const hostLeases = createHostLeases({ store, clock, log: () => {} })
  const config = { crawlConcurrency, databaseUrl: databaseUrl ?? null }
  const crawler = createCrawler(
    { clock, config, ids: countIds(), log, store },
    {
      auditor: {
        probe: (endpoint) =>
          hostLeases.alone(new URL(endpoint).host, async ({ lease }) => {
            const { host } = new URL(endpoint)
            const others = probes.under.get(host) ?? 0
            if (others > 0) probes.overlaps++
            probes.under.set(host, others + 1)
            try {
              await probes.during(endpoint)
            } finally {
              if (others === 0) probes.under.delete(host)
              else probes.under.set(host, others)
            }
            const state = aState({ endpoint, derivedAt: clock.now(), nextProbeAt: clock.now() + HOUR })
            await store.write('putEndpoint', state, { facts: [], days: [], lease })
            probes.probed.push(endpoint)
            return { state, observations: [anObservation()] }
          }),
      },
      hostLeases,
      directories: [],
      sliceMs: 15_000,
      lead: async () => {},
      ...changes,
    },
  )
  const ending = new AbortController()
  const running = crawler.run(ending.signal)
  const stop = async () => {
    ending.abort()
    await running
  }
  onTestFinished(stop)
  return { crawler, hostLeases, errors, stop }
}
