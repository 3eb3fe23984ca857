import { networkAddressKey } from '@touchstone402/shared'
import { judgeFacts } from '../../audit/judgeFacts.ts'
import type { Fact } from '../../domain/facts/facts.ts'
import type { CategoryPrice, EndpointDocument } from '../../domain/facts/hostDocument.ts'
import { carry } from '../../domain/judge/memory/carried.ts'
import type { Written } from '../../ports/store.ts'
import { SAMPLE_NOW } from './sampleServices.ts'

/** Judges an endpoint by the facts of its sample. Returns its document, and what goes with it. */
export function judgeSample(
  endpoint: string,
  facts: readonly Fact[],
  categoryPrice: CategoryPrice | undefined,
): { document: EndpointDocument; written: Written } {
  const of = <K extends Fact['kind']>(kind: K) =>
    facts.filter((fact): fact is Extract<Fact, { kind: K }> => fact.kind === kind)
  const looks = of('observation')
  const own = <T extends { readonly endpoint: string }>(list: readonly T[]) =>
    list.filter((fact) => fact.endpoint === endpoint)
  const { carried, days } = carry(undefined, own(looks))
  const { state, changes, incidents } = judgeFacts({
    endpoint,
    carried,
    facts: { listings: own(of('listing')), purchases: [], changes: [], incidents: [] },
    host: { announcements: [], control: looks.findLast(({ purpose }) => purpose === 'control') },
    recordsOf: (network, address) =>
      of('receiver').filter(
        (record) => networkAddressKey(record.network, record.address) === networkAddressKey(network, address),
      ),
    categoryPrice,
    firstSeen: undefined,
    now: SAMPLE_NOW,
    random: 0.5,
  })
  const at = SAMPLE_NOW
  const found: readonly Fact[] = [
    ...changes.map((change) => ({ kind: 'change' as const, id: change.id, at, change })),
    ...incidents.map((incident) => ({ kind: 'incident' as const, id: incident.id, at, incident })),
  ]
  return { document: { state, carried }, written: { facts: found, days } }
}
