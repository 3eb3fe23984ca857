import type { TrustHistory } from '@touchstone402/shared'
import type { DailyMeasurements } from '../facts/dailyMeasurements.ts'
import type { RecordsOf, Time } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { toHistory } from '../judge/history.ts'
import { listNamedReceivers } from '../judge/offers.ts'
import { readReceivers } from '../judge/past.ts'
import { LIMITS } from '../judge/spec.ts'
import { describeHistory } from '../publish/history.ts'
import { currentVerdict } from '../publish/verdict.ts'
import { readEndpointFacts } from '../store/facts.ts'
import { readDays } from '../store/observations.ts'
import type { Store } from '../store/store.ts'
import { readProbes, readRecords } from './readEndpoint.ts'

/** The track record of an endpoint, and what pages show beside it. */
export type ReadHistory = {
  readonly history: TrustHistory
  /** Chain records of the receivers of all its periods, and of its last probes. */
  readonly recordsOf: RecordsOf
  /** All days that were measured, oldest first, the one under way included. */
  readonly days: readonly DailyMeasurements[]
}

/** Reads the track record of an endpoint from its kept probes, its days and its published decisions. */
export async function readHistory(store: Store, state: EndpointState, now: Time): Promise<ReadHistory> {
  const { endpoint } = state
  const [kept, { changes, incidents }, days] = await Promise.all([
    readProbes(store, endpoint, now),
    readEndpointFacts(store, endpoint),
    readDays(store, endpoint),
  ])
  const past = toHistory({ ...kept, changes, before: state }, now)
  const { epochs } = readReceivers(past)
  const shown = [past.probes, epochs.at(-1)?.probes ?? []].flatMap((probes) =>
    probes.slice(-LIMITS.termsProbes),
  )
  const named = [...epochs.flatMap(({ first }) => first ?? []), ...shown.flatMap(listNamedReceivers)]
  const recordsOf = await readRecords(store, named)
  const { darkSince } = currentVerdict(state, now)
  const history = describeHistory({
    state,
    darkSince,
    past,
    epochs,
    days,
    recordsOf,
    changes,
    incidents,
    now,
  })
  return { history, recordsOf, days }
}
