import type { Change, Incident } from '@touchstone402/shared'
import type { Fact, Observation, RecordsOf, Time } from '../facts/facts.ts'
import type { Accusation } from '../facts/hostDocument.ts'
import type { Paid } from '../judge/epochs.ts'
import { addRecords, findAll, type JudgeInput, listReadReceivers } from '../judge/evidence.ts'
import { type Judgement, judgeEvidence } from '../judge/judge.ts'
import { signableOffers } from '../judge/offers.ts'
import type { EndpointFacts, HostFacts } from '../store/facts.ts'

export type FactsToJudge = Pick<JudgeInput, 'endpoint' | 'history' | 'now' | 'random'> & {
  readonly facts: EndpointFacts
  readonly shopping?: JudgeInput['shopping']
  readonly lookalike?: JudgeInput['lookalike']
  readonly host: HostFacts
  /** The price of comparable endpoints, if known. */
  readonly categoryPrice: ReturnType<JudgeInput['categoryPrice']>
  /** Reads the chain records of receivers. */
  readonly readRecords: (receivers: readonly Paid[]) => Promise<RecordsOf>
  /** Reads the open incidents that name receivers or the host. */
  readonly readAccusations: (receivers: readonly Paid[]) => Promise<readonly Accusation[]>
}

/** Judges one endpoint by its probes and the facts about it and its host. Returns the probes that were read too. */
export async function judgeFacts({
  facts,
  host,
  categoryPrice,
  readRecords,
  readAccusations,
  ...input
}: FactsToJudge): Promise<Judgement & { readonly observations: readonly Observation[] }> {
  const findings = findAll({
    ...input,
    ...facts,
    host: new URL(input.endpoint).host,
    control: host.control,
    announcements: host.announcements,
    categoryPrice: () => categoryPrice,
  })
  const receivers = listReadReceivers(findings)
  const recordsOf = await readRecords(receivers)
  const accusations = await readAccusations(findings.latest.flatMap(signableOffers))
  return {
    ...judgeEvidence(addRecords(findings, recordsOf, accusations)),
    observations: findings.observations,
  }
}

/** Returns the changes and incidents that are not published yet. */
export function findNews(
  known: { readonly changes: readonly Change[]; readonly incidents: readonly Incident[] },
  { changes, incidents }: Pick<Judgement, 'changes' | 'incidents'>,
  at: Time,
): Fact[] {
  const published = new Set(known.changes.map(({ id }) => id))
  const stateOf = ({ status, receiver }: Incident) => `${status} ${receiver?.isPaid === true}`
  const states = new Map(known.incidents.map((incident) => [incident.id, stateOf(incident)]))
  return [
    ...changes
      .filter(({ id }) => !published.has(id))
      .map((change) => ({ kind: 'change' as const, id: change.id, at, change })),
    ...incidents
      .filter((incident) => states.get(incident.id) !== stateOf(incident))
      .map((incident) => ({ kind: 'incident' as const, id: incident.id, at, incident })),
  ]
}
