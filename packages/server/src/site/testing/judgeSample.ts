import { networkAddressKey } from '@touchstone402/shared'
import { judgeFacts } from '../../audit/judgeFacts.ts'
import { foldDays } from '../../facts/dailyMeasurements.ts'
import type { Fact } from '../../facts/facts.ts'
import type { CategoryPrice, EndpointState } from '../../facts/hostDocument.ts'
import { toHistory } from '../../judge/history.ts'
import type { Written } from '../../store/endpoints.ts'
import { SAMPLE_NOW } from './sampleServices.ts'

/** Judges an endpoint by the facts of its sample. Returns its state, and what goes with it. */
export async function judgeSample(
  endpoint: string,
  facts: readonly Fact[],
  categoryPrice: CategoryPrice | undefined,
): Promise<{ state: EndpointState; written: Written }> {
  const of = <K extends Fact['kind']>(kind: K) =>
    facts.filter((fact): fact is Extract<Fact, { kind: K }> => fact.kind === kind)
  const observations = of('observation')
  const own = <T extends { readonly endpoint: string }>(list: readonly T[]) =>
    list.filter((fact) => fact.endpoint === endpoint)
  const {
    state,
    changes,
    incidents,
    observations: read,
  } = await judgeFacts({
    endpoint,
    history: toHistory({ observations: own(observations), isWhole: true, changes: [] }, SAMPLE_NOW),
    facts: { listings: own(of('listing')), purchases: [], changes: [], incidents: [] },
    host: { announcements: [], control: observations.findLast(({ purpose }) => purpose === 'control') },
    readAccusations: async () => [],
    readRecords: async () => (network, address) =>
      of('receiver').filter(
        (record) => networkAddressKey(record.network, record.address) === networkAddressKey(network, address),
      ),
    categoryPrice,
    now: SAMPLE_NOW,
    random: 0.5,
  })
  const at = SAMPLE_NOW
  const found: readonly Fact[] = [
    ...changes.map((change) => ({ kind: 'change' as const, id: change.id, at, change })),
    ...incidents.map((incident) => ({ kind: 'incident' as const, id: incident.id, at, incident })),
  ]
  return { state, written: { facts: found, days: foldDays(read) } }
}
