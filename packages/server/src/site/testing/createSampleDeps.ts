import { BASE_USDC } from '@touchstone402/shared'
import { NotPublicError } from '../../audit/createAuditor.ts'
import { createChecks } from '../../checks/createChecks.ts'
import { aConfig } from '../../config/testing.ts'
import type { Context } from '../../context.ts'
import { reportToday } from '../../crawl/report.ts'
import { DAY } from '../../facts/times.ts'
import type { AnswerParts } from '../../http/answers/createAnswers.ts'
import { systemClock } from '../../lib/clock.ts'
import { RANDOM_IDS } from '../../lib/ids.ts'
import { createReadModel } from '../../readModel/createReadModel.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { countIds } from '../../testing/countIds.ts'
import { createTokenDays } from '../../tokens/tokenDays.ts'
import type { PageDeps } from '../pageDeps.ts'
import { judgeSample } from './judgeSample.ts'
import { factsOf } from './sampleFacts.ts'
import { SAMPLE_NOW, SAMPLES, type Sample } from './sampleServices.ts'
import { putSampleDay } from './sampleTokenDay.ts'

/** Number of days that the sample reports cover. */
const REPORT_DAYS = 20

const refuse = async () => {
  throw new NotPublicError('nothing is probed here')
}
const none = async () => undefined as never

/** Creates page dependencies whose samples were judged by the real rules, without network access. */
export async function createSampleDeps(
  samples: readonly Sample[] = SAMPLES,
): Promise<PageDeps & Pick<Context, 'clock' | 'config' | 'store'> & Pick<AnswerParts, 'readModel'>> {
  const clock = { now: () => SAMPLE_NOW, sleep: async () => {}, hold: () => () => {} }
  const store = createMemoryStore()
  const readModel = await createReadModel(store, clock)
  for (const [seed, sample] of samples.entries()) {
    const facts = factsOf(sample, seed + 1)
    await store.write('append', facts)
    const endpoints = facts.flatMap((fact) => (fact.kind === 'listing' ? [fact.endpoint] : []))
    for (const endpoint of new Set(endpoints)) {
      const price = await readModel.categoryPrice(sample.category ?? null)
      const { state, written } = await judgeSample(endpoint, facts, price)
      await store.write('putEndpoint', state, written)
    }
  }
  const ids = countIds()
  for (let daysAgo = REPORT_DAYS; daysAgo >= 0; daysAgo--) {
    const then = { ...clock, now: () => SAMPLE_NOW - daysAgo * DAY }
    await reportToday({ store, clock: then, ids })
  }
  const tokenDays = createTokenDays({ clock, config: { tokenPages: [BASE_USDC.toLowerCase()] }, store })
  await putSampleDay(tokenDays)
  return {
    store,
    readModel,
    clock,
    config: aConfig({
      publicUrl: 'https://touchstone.example',
      operator: { name: 'Example Trust', contact: 'mailto:trust@touchstone.example' },
      payTo: `0x${'5e'.repeat(20)}`,
    }),
    ids: RANDOM_IDS,
    crawl: () => ({ failingSince: null }) as ReturnType<PageDeps['crawl']>,
    checks: createChecks(
      { store, clock: systemClock, ids: RANDOM_IDS, log: () => {} },
      {
        auditor: { probeLive: refuse },
        caller: { ask: refuse, resolve: async () => [] },
        readDeclared: async () => [],
        probeFirst: async () => {},
      },
    ),
    claimReader: { file: none, txt: none },
    addWebhook: none,
    verifyMcp: none,
    readDocument: async () => null,
    tokenDays,
  }
}
