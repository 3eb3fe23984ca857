import type { Change, Incident } from '@touchstone402/shared'
import type { Fact, Time } from '../domain/facts/facts.ts'
import type { JudgeInput } from '../domain/judge/evidence.ts'
import { type Judgement, judgeEndpoint } from '../domain/judge/judge.ts'
import type { EndpointFacts, HostFacts } from '../ports/store.ts'

export type FactsToJudge = Pick<
  JudgeInput,
  'endpoint' | 'carried' | 'recordsOf' | 'firstSeen' | 'now' | 'random'
> & {
  readonly facts: EndpointFacts
  readonly host: HostFacts
  /** The price of comparable endpoints, if known. */
  readonly categoryPrice: ReturnType<JudgeInput['categoryPrice']>
}

/** Judges one endpoint by what is carried and the facts about it and its host. */
export function judgeFacts({ facts, host, categoryPrice, ...input }: FactsToJudge): Judgement {
  const { listings, purchases, incidents } = facts
  return judgeEndpoint({
    ...input,
    host: new URL(input.endpoint).host,
    listings,
    purchases,
    incidents,
    control: host.control,
    announcements: host.announcements,
    categoryPrice: () => categoryPrice,
  })
}

/** Returns the changes and incidents that are not published yet. */
export function findNews(
  known: { readonly changes: readonly Change[]; readonly incidents: readonly Incident[] },
  { changes, incidents }: Pick<Judgement, 'changes' | 'incidents'>,
  at: Time,
): Fact[] {
  const published = new Set(known.changes.map(({ id }) => id))
  const statuses = new Map(known.incidents.map(({ id, status }) => [id, status]))
  return [
    ...changes
      .filter(({ id }) => !published.has(id))
      .map((change) => ({ kind: 'change' as const, id: change.id, at, change })),
    ...incidents
      .filter(({ id, status }) => statuses.get(id) !== status)
      .map((incident) => ({ kind: 'incident' as const, id: incident.id, at, incident })),
  ]
}
