import { networkAddressKey } from '@touchstone402/shared'
import { judgeFacts } from '../../audit/judgeFacts.ts'
import type { Fact } from '../../domain/facts/facts.ts'
import type { CategoryPrice, EndpointState } from '../../domain/facts/hostDocument.ts'
import { SAMPLE_NOW } from './sampleServices.ts'

/** Judges an endpoint by the facts of its sample. Returns its state, and the changes and incidents that it finds. */
export function judgeSample(
  endpoint: string,
  facts: readonly Fact[],
  categoryPrice: CategoryPrice | undefined,
): { state: EndpointState; facts: Fact[] } {
  const of = <K extends Fact['kind']>(kind: K) =>
    facts.filter((fact): fact is Extract<Fact, { kind: K }> => fact.kind === kind)
  const { state, changes, incidents } = judgeFacts({
    endpoint,
    facts: {
      listings: of('listing'),
      observations: of('observation'),
      daily: [],
      announcements: [],
      purchases: [],
      changes: [],
      incidents: [],
    },
    recordsOf: (network, address) =>
      of('receiver').filter(
        (record) => networkAddressKey(record.network, record.address) === networkAddressKey(network, address),
      ),
    categoryPrice: () => categoryPrice,
    firstSeen: undefined,
    now: SAMPLE_NOW,
    random: 0.5,
  })
  const at = SAMPLE_NOW
  return {
    state,
    facts: [
      ...changes.map((change) => ({ kind: 'change' as const, id: change.id, at, change })),
      ...incidents.map((incident) => ({ kind: 'incident' as const, id: incident.id, at, incident })),
    ],
  }
}
