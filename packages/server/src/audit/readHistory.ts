import type { TrustHistory } from '@touchstone402/shared'
import type { RecordsOf, Time } from '../domain/facts/facts.ts'
import type { EndpointState } from '../domain/facts/hostDocument.ts'
import { describeHistory } from '../domain/publish/history.ts'
import { currentVerdict } from '../domain/publish/verdict.ts'
import type { HostFacts, Store } from '../ports/oldStore.ts'
import { readRecords } from './readRecords.ts'

/** Reads the track record of an endpoint, without control probes, and the chain records of its receivers. */
export async function readHistory(
  store: Pick<Store, 'receiver'>,
  facts: Pick<HostFacts, 'observations' | 'changes' | 'incidents'>,
  state: EndpointState,
  now: Time,
): Promise<{ history: TrustHistory; recordsOf: RecordsOf }> {
  const { endpoint, firstSeen } = state
  const own = <T extends { readonly endpoint: string }>(list: readonly T[]) =>
    list.filter((item) => item.endpoint === endpoint)
  const observations = own(facts.observations).filter(({ purpose }) => purpose !== 'control')
  const recordsOf = await readRecords(store, endpoint, observations)
  const history = describeHistory({
    endpoint,
    firstSeen,
    darkSince: currentVerdict(state, now).darkSince,
    observations,
    recordsOf,
    changes: own(facts.changes),
    incidents: own(facts.incidents),
    now,
  })
  return { history, recordsOf }
}
