import {
  type AccuracySample,
  type Auditor,
  judgeHost,
  readObservations,
  readSummary,
  type Store,
} from '@touchstone402/server/testing'
import { seededRandom } from '@touchstone402/shared/testing'
import { chainHistories, sanctionsList } from './hosts.ts'
import { sampleService } from './measures/accuracy.ts'
import { type Sample, samplesIn } from './measures/sample.ts'
import { createBuyers, type Theft } from './measures/theft.ts'
import { crawlDays } from './world/crawlDays.ts'
import { addressOf, BASE, START } from './world/names.ts'
import { createProbeTimes } from './world/probeTimes.ts'
import { createSimulatedDirectory } from './world/simulatedDirectory.ts'
import { createSimulatedProber } from './world/simulatedProber.ts'
import { createSellers } from './world/simulatedSeller.ts'
import type { Host, Phase } from './world/types.ts'

const DAY = 86_400_000

/** Results of a simulation, by host name. Plain data, so that a child process can send them. */
export type Simulated = {
  /** Oldest first. */
  readonly samples: ReadonlyMap<string, readonly Sample[]>
  /** Day on which a probe first saw a fault. Hosts without one are left out. */
  readonly shownOnDay: ReadonlyMap<string, number>
  readonly theft: ReadonlyMap<string, Theft>
  /** Verdicts on hosts by all of their endpoints at the end. */
  readonly hostVerdict: ReadonlyMap<string, Sample['verdict']>
  /** Samples by which the service measures the accuracy of its verdicts. */
  readonly service: readonly AccuracySample[]
}

/** Crawls the simulated hosts with the real crawler, auditor, store and read model. */
export async function simulate(
  hosts: readonly Host[],
  { days, seed }: { days: number; seed: number },
): Promise<Simulated> {
  const byName = new Map(hosts.map((host) => [host.host, host]))
  const sellers = createSellers(seededRandom(seed + 1))
  const probed = createProbeTimes()
  const buyers = createBuyers(createSellers(seededRandom(seed + 2)), probed, seededRandom(seed + 3))
  const hasDocuments = ({ wellKnown, openApi }: Phase) => wellKnown !== undefined || openApi !== undefined
  const origins = hosts.filter(({ phases }) => phases.some(hasDocuments)).map(({ host }) => `https://${host}`)
  const samples = new Map<string, Sample[]>(hosts.map(({ host }) => [host, []]))
  const standing = new Map<string, Map<string, Sample>>(hosts.map(({ host }) => [host, new Map()]))
  const standingOf = ({ host }: Host) => standing.get(host) ?? new Map<string, Sample>()
  const { store } = await crawlDays({
    start: START,
    days,
    random: seededRandom(seed),
    isSequential: true,
    proberAt: (clock) => createSimulatedProber(byName, clock, START, sellers, probed),
    documented: origins,
    directoriesAt: (clock) =>
      (['bazaar', '402index'] as const).map((name) => createSimulatedDirectory(name, hosts, clock, START)),
    historyOf: chainHistories(hosts),
    isSanctioned: sanctionsList(hosts, START),
    funding: hosts.flatMap(({ funding = [] }) => funding),
    watch(auditor, clock, store) {
      const shop = createShopper(store)
      const check = createChecker(auditor)
      return {
        ...auditor,
        async probe(endpoint) {
          const host = byName.get(new URL(endpoint).host)
          const since = clock.now() - START
          const day = since / DAY
          if (host !== undefined) {
            await buyers.comeUntil(host, since, standingOf(host))
            await shop(host, day)
            await check(host, endpoint, day)
          }
          const probe = await auditor.probe(endpoint)
          const { verdict, score, flags, expiresAt, riskLevel, terms } = probe.state
          const expiresOnDay = ((expiresAt ?? clock.now()) - START) / DAY
          const sample = { day, endpoint, expiresOnDay, verdict, score, flags, riskLevel, terms }
          if (host !== undefined) {
            samples.get(host.host)?.push(sample)
            standingOf(host).set(endpoint, sample)
          }
          return probe
        },
      }
    },
  })
  const shownOnDay = new Map<string, number>()
  const theft = new Map<string, Theft>()
  const hostVerdict = new Map<string, Sample['verdict']>()
  for (const host of hosts) {
    await buyers.comeUntil(host, days * DAY, standingOf(host))
    theft.set(host.host, buyers.theftAt(host))
    const shown = probed.firstShown(host.host)
    if (shown !== null) shownOnDay.set(host.host, shown / DAY)
    const { endpoints } = (await readSummary(store, host.host)) ?? { endpoints: [] }
    hostVerdict.set(host.host, judgeHost(endpoints, START + days * DAY).verdict)
  }
  const service = await sampleService(hosts, samplesIn(samples), days, (endpoint, from, to) =>
    readObservations(store, endpoint, { from, to }),
  )
  return { samples, shownOnDay, theft, hostVerdict, service }
}

/** Buys the scripted live checks of an endpoint on their day. */
function createChecker(auditor: Auditor) {
  const done = new Set<string>()
  return async ({ boughtChecks }: Host, endpoint: string, day: number): Promise<void> => {
    if (boughtChecks === undefined || day < boughtChecks.atDay || done.has(endpoint)) return
    done.add(endpoint)
    for (let index = 0; index < boughtChecks.count; index++) await auditor.probeLive(endpoint)
  }
}

/** Records the scripted test purchases of a host on their days. */
function createShopper(store: Store) {
  const done = new Set<string>()
  return async ({ host, purchases = [] }: Host, day: number): Promise<void> => {
    for (const { atDay, path = '/api', payTo = addressOf(host), ...result } of purchases) {
      if (atDay > day || done.has(`${host} ${atDay}`)) continue
      done.add(`${host} ${atDay}`)
      await store.write('append', [
        {
          kind: 'purchase',
          id: `pur_${done.size}`,
          at: START + atDay * DAY,
          endpoint: `https://${host}${path}`,
          host,
          network: BASE,
          payTo,
          amountAtomic: '10000',
          settled: true,
          txHash: `0x${'cd'.repeat(32)}`,
          ...result,
        },
      ])
    }
  }
}
