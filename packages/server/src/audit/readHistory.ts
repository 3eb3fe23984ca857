import type { TrustHistory } from '@touchstone402/shared'
import type { DailyMeasurements } from '../domain/facts/dailyMeasurements.ts'
import type { Observation, RecordsOf, Time } from '../domain/facts/facts.ts'
import type { EndpointState } from '../domain/facts/hostDocument.ts'
import { foldSettled } from '../domain/judge/refusals.ts'
import { describeHistory } from '../domain/publish/history.ts'
import { currentVerdict } from '../domain/publish/verdict.ts'
import type { Store } from '../ports/store.ts'
import { readRecords } from './readRecords.ts'

/** Reads the track record of an endpoint, without control probes, and the chain records of its receivers. */
export async function readHistory(
  store: Pick<Store, 'receiver' | 'looks' | 'days' | 'endpointFacts'>,
  state: EndpointState,
  now: Time,
): Promise<{ history: TrustHistory; recordsOf: RecordsOf; days: readonly DailyMeasurements[] }> {
  const { endpoint, firstSeen } = state
  const observations: Observation[] = []
  for await (const look of store.looks(endpoint)) if (look.purpose !== 'control') observations.push(look)
  const { changes, incidents } = await store.endpointFacts(endpoint)
  const recordsOf = await readRecords(store, endpoint, observations)
  const history = describeHistory({
    endpoint,
    firstSeen,
    darkSince: currentVerdict(state, now).darkSince,
    observations,
    recordsOf,
    changes,
    incidents,
    now,
  })
  return { history, recordsOf, days: [...(await store.days(endpoint)), ...foldSettled(observations)] }
}
