import { networkAddressKey } from '@touchstone402/shared'
import type { Observation, ReceiverRecord, RecordsOf, Time } from '../facts/facts.ts'
import { MINUTE } from '../facts/times.ts'
import type { Paid } from '../judge/epochs.ts'
import { type History, isUsual, toHistory } from '../judge/history.ts'
import { LIMITS } from '../judge/spec.ts'
import { readState } from '../store/endpoints.ts'
import type { EndpointFacts, HostFacts } from '../store/facts.ts'
import { readEndpointFacts, readHostFacts, readReceiverRecords } from '../store/facts.ts'
import { readDays, readObservations } from '../store/observations.ts'
import type { Store } from '../store/store.ts'

/** The probes of an endpoint that a judgement reads. */
export type KeptProbes = {
  /** Oldest first. */
  readonly observations: readonly Observation[]
  /** Whether no older probe was ever made. */
  readonly isWhole: boolean
}

/** The stored state, probes and records of an endpoint before a probe. */
export type Known = {
  readonly endpoint: string
  /** Whether a decision on it was ever logged. */
  readonly isLogged: boolean
  readonly facts: EndpointFacts
  readonly host: HostFacts
  /** Its `stored` part holds the probes, and the state of the last judgement. */
  readonly history: History
}

/**
 * Reads the probes that a judgement at a time reads.
 * @param to time of the last one. @default `now`, and some more for the clocks of other processes: a clock that was ahead
 * may have left probes from the future, which must not pass for the newest
 */
export async function readProbes(
  store: Store,
  endpoint: string,
  now: Time,
  to = now + MINUTE,
): Promise<KeptProbes> {
  const from = now - LIMITS.keptProbesMs
  const range = { from, to, newest: LIMITS.keptProbes, newestLive: LIMITS.keptLiveProbes }
  const [observations, days] = await Promise.all([
    readObservations(store, endpoint, range),
    readDays(store, endpoint),
  ])
  const made = days.reduce((sum, { up, down, notMeasured }) => sum + up + down + notMeasured, 0)
  return { observations, isWhole: made <= observations.filter(isUsual).length }
}

/** Reads an endpoint's state, probes and records. */
export async function readEndpoint(store: Store, endpoint: string, now: Time): Promise<Known> {
  const [stored, probes, facts, host] = await Promise.all([
    readState(store, endpoint),
    readProbes(store, endpoint, now),
    readEndpointFacts(store, endpoint),
    readHostFacts(store, new URL(endpoint).host),
  ])
  return {
    endpoint,
    isLogged: stored?.logIndex !== undefined,
    facts,
    host,
    history: toHistory({ ...probes, changes: facts.changes, before: stored?.state }, now),
  }
}

/**
 * Reads the chain records of receivers, of each once.
 * @param until time of the newest record that counts. @default no limit
 */
export async function readRecords(
  store: Store,
  receivers: readonly Paid[],
  until?: Time,
): Promise<RecordsOf> {
  const keys = new Map(receivers.map((paid) => [networkAddressKey(paid.network, paid.payTo), paid]))
  const records = new Map<string, readonly ReceiverRecord[]>()
  for (const [key, { network, payTo }] of keys)
    records.set(key, await readReceiverRecords(store, network, payTo, until))
  return (network, address) => records.get(networkAddressKey(network, address)) ?? []
}
