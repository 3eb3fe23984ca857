import type { TrustHistory } from '@touchstone402/shared'
import type { DailyMeasurements } from '../domain/facts/dailyMeasurements.ts'
import type { RecordsOf, Time } from '../domain/facts/facts.ts'
import type { EndpointState } from '../domain/facts/hostDocument.ts'
import { isCurrent } from '../domain/judge/memory/carried.ts'
import { listNamedReceivers } from '../domain/judge/namedReceivers.ts'
import { addToPast, describeHistory, startPast } from '../domain/publish/history.ts'
import { currentVerdict } from '../domain/publish/verdict.ts'
import type { Store } from '../ports/store.ts'
import { readRecords } from './readEndpoint.ts'

/** The track record of an endpoint, and what pages show beside it. */
export type ReadHistory = {
  readonly history: TrustHistory
  /** Chain records of the receivers of all its periods, and of its last probes. */
  readonly recordsOf: RecordsOf
  /** All days that were measured, oldest first, the one under way included. */
  readonly days: readonly DailyMeasurements[]
}

/** Reads the track record of an endpoint, without control probes. Looks are read one after the other, none is kept. */
export async function readHistory(
  store: Pick<Store, 'endpointFacts' | 'looks' | 'base' | 'days' | 'receiver'>,
  state: EndpointState,
  now: Time,
): Promise<ReadHistory> {
  const { endpoint, firstSeen } = state
  const base = await store.base(endpoint)
  let past = startPast(base !== undefined && isCurrent(base) ? base : undefined)
  for await (const look of store.looks(endpoint)) past = addToPast(past, look)
  const [{ changes, incidents }, ended] = await Promise.all([
    store.endpointFacts(endpoint),
    store.days(endpoint),
  ])
  const { epochs, looks } = past
  const named = [
    ...epochs.epochs.flatMap(({ first }) => first ?? []),
    ...[...looks.probes, ...epochs.current].flatMap(listNamedReceivers),
  ]
  const recordsOf = await readRecords(store, named)
  const { history, days } = describeHistory({
    state: { endpoint, firstSeen, host: state.host },
    darkSince: currentVerdict(state, now).darkSince,
    past,
    ended,
    recordsOf,
    changes,
    incidents,
    now,
  })
  return { history, recordsOf, days }
}
