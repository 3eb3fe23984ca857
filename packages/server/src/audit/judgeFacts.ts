import type { JudgeInput } from '../domain/judge/evidence.ts'
import { type Judgement, judgeEndpoint } from '../domain/judge/judge.ts'
import type { HostFacts } from '../ports/oldStore.ts'

export type FactsToJudge = Pick<
  JudgeInput,
  'endpoint' | 'recordsOf' | 'categoryPrice' | 'firstSeen' | 'now' | 'random'
> & { readonly facts: HostFacts }

/** Judges one endpoint by the facts about its host. */
export function judgeFacts({ facts, ...input }: FactsToJudge): Judgement {
  const own = <T extends { readonly endpoint: string }>(list: readonly T[]) =>
    list.filter((item) => item.endpoint === input.endpoint)
  return judgeEndpoint({
    ...input,
    host: new URL(input.endpoint).host,
    listings: own(facts.listings),
    observations: own(facts.observations),
    control: facts.observations.findLast(({ purpose }) => purpose === 'control'),
    announcements: facts.announcements,
    purchases: own(facts.purchases),
    incidents: own(facts.incidents),
  })
}
