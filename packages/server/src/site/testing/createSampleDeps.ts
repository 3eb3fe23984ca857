import { createMemoryStore } from '../../adapters/store/memory/createMemoryStore.ts'
import { createAuditor } from '../../audit/createAuditor.ts'
import { DAY } from '../../domain/facts/times.ts'
import { describeReport } from '../../domain/publish/report.ts'
import { tallyHosts } from '../../domain/publish/tally.ts'
import { createReadModel } from '../../readModel/createReadModel.ts'
import type { PageDeps } from '../pageDeps.ts'
import { factsOf } from './sampleFacts.ts'
import { SAMPLE_NOW, SAMPLES, type Sample } from './sampleServices.ts'

/** Number of days that the sample reports cover. */
const REPORT_DAYS = 20

/** Creates page dependencies whose samples were judged by the real auditor, without network access. */
export async function createSampleDeps(samples: readonly Sample[] = SAMPLES): Promise<PageDeps> {
  const clock = { now: () => SAMPLE_NOW, sleep: async () => {}, hold: () => () => {} }
  const store = createMemoryStore({ now: () => SAMPLE_NOW })
  const readModel = await createReadModel(store)
  const refuse = async () => {
    throw new Error('samples are judged without network access')
  }
  const auditor = createAuditor({
    store,
    readModel,
    clock,
    prober: { clients: 3, probe: refuse, document: refuse, close: async () => {} },
    profiler: { refresh: refuse },
    announcements: { read: refuse },
    optOut: { isOptedOut: refuse },
    random: () => 0.5,
    newId: (prefix) => `${prefix}_sample`,
  })
  for (const [seed, sample] of samples.entries()) {
    const facts = factsOf(sample, seed + 1)
    await store.append(facts)
    const endpoints = facts.flatMap((fact) => (fact.kind === 'listing' ? [fact.endpoint] : []))
    for (const endpoint of new Set(endpoints)) await auditor.judge(endpoint)
  }
  for (let daysAgo = REPORT_DAYS; daysAgo >= 0; daysAgo--) {
    const at = SAMPLE_NOW - daysAgo * DAY
    const tally = await tallyHosts(readModel.hosts(), at, () => undefined)
    const report = describeReport({ tally, incidents: [], changes: [] })
    await store.append([{ kind: 'report', id: `rep_${report.date}`, at, report }])
  }
  return {
    store,
    readModel,
    clock,
    publicUrl: 'https://touchstone.example',
    contact: 'mailto:trust@touchstone.example',
  }
}
