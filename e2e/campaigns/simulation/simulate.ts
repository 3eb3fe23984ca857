import type { EndpointState, Store } from '@touchstone402/server/testing'
import { seededRandom } from '../../support/random.ts'
import { chainHistories, sanctionsList } from './hosts.ts'
import { crawlDays } from './world/crawlDays.ts'
import { addressOf, BASE, START } from './world/names.ts'
import { createSimulatedDirectory } from './world/simulatedDirectory.ts'
import { createSimulatedProber } from './world/simulatedProber.ts'
import { createSellers } from './world/simulatedSeller.ts'
import type { Host, Phase } from './world/types.ts'

const DAY = 86_400_000

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
  readonly riskLevel: EndpointState['riskLevel']
  /** Of hosts with terms that must not be vouched for. */
  readonly terms: EndpointState['terms']
}

/** Crawls the simulated hosts with the real crawler, auditor, store and read model. */
export async function simulate(
  hosts: readonly Host[],
  { days, seed }: { days: number; seed: number },
): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const byName = new Map(hosts.map((host) => [host.host, host]))
  const sellers = createSellers(seededRandom(seed + 1))
  const hasDocuments = ({ wellKnown, openApi }: Phase) => wellKnown !== undefined || openApi !== undefined
  const origins = hosts.filter(({ phases }) => phases.some(hasDocuments)).map(({ host }) => `https://${host}`)
  const samples = new Map<string, Sample[]>(hosts.map(({ host }) => [host, []]))
  await crawlDays({
    start: START,
    days,
    random: seededRandom(seed),
    isSequential: true,
    proberAt: (clock) => createSimulatedProber(byName, clock, START, sellers),
    documented: origins,
    directoriesAt: (clock) =>
      (['bazaar', '402index'] as const).map((name) => createSimulatedDirectory(name, hosts, clock, START)),
    historyOf: chainHistories(hosts),
    isSanctioned: sanctionsList(hosts, START),
    funding: hosts.flatMap(({ funding = [] }) => funding),
    watch(auditor, clock, store) {
      const shopper = createShopper(store)
      return {
        ...auditor,
        async probe(endpoint) {
          const host = byName.get(new URL(endpoint).host)
          const day = (clock.now() - START) / DAY
          if (host !== undefined) await shopper(host, day)
          const probe = await auditor.probe(endpoint)
          const { verdict, score, flags, expiresAt, riskLevel } = probe.state
          const expiresOnDay = ((expiresAt ?? clock.now()) - START) / DAY
          const terms = host?.forbidden === undefined ? [] : probe.state.terms
          const sample = { day, endpoint, expiresOnDay, verdict, score, flags, riskLevel, terms }
          samples.get(host?.host ?? '')?.push(sample)
          return probe
        },
      }
    },
  })
  return samples
}

/** Records the scripted test purchases of a host on their days. */
function createShopper(store: Store) {
  const done = new Set<string>()
  return async ({ host, purchases = [] }: Host, day: number): Promise<void> => {
    for (const { atDay, delivered, path = '/api', payTo = addressOf(host) } of purchases) {
      if (atDay > day || done.has(`${host} ${atDay}`)) continue
      done.add(`${host} ${atDay}`)
      await store.append([
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
          delivered,
          txHash: `0x${'cd'.repeat(32)}`,
        },
      ])
    }
  }
}
