import { networkAddressKey } from '@touchstone402/shared'
import type { ReceiverRecord, RecordsOf, Time } from '../domain/facts/facts.ts'
import type { Carried, EndpointState } from '../domain/facts/hostDocument.ts'
import { listReadReceivers } from '../domain/judge/evidence.ts'
import { NOTHING_CARRIED } from '../domain/judge/memory/carried.ts'
import type { Paid } from '../domain/judge/memory/epochs.ts'
import type { EndpointFacts, HostFacts, Store } from '../ports/store.ts'
import { isCarriedOn, refold } from './refold.ts'

/** An endpoint's stored state and records, as a probe finds them. */
export type Known = {
  readonly endpoint: string
  /** Undefined if the endpoint was never judged. */
  readonly state: EndpointState | undefined
  readonly carried: Carried
  /** Whether a decision on it was ever logged. */
  readonly isLogged: boolean
  readonly facts: EndpointFacts
  readonly host: HostFacts
}

/** Reads an endpoint's state and records; state carried by another version of the score is folded again from the looks. */
export async function readEndpoint(
  store: Pick<Store, 'endpoint' | 'endpointFacts' | 'hostFacts' | 'looks' | 'base'>,
  endpoint: string,
): Promise<Known> {
  const [document, facts, host] = await Promise.all([
    store.endpoint(endpoint),
    store.endpointFacts(endpoint),
    store.hostFacts(new URL(endpoint).host),
  ])
  const carried = document?.carried ?? NOTHING_CARRIED
  return {
    endpoint,
    state: document?.state,
    isLogged: document?.logIndex !== undefined,
    carried: isCarriedOn(carried) ? carried : (await refold(store, endpoint)).carried,
    facts,
    host,
  }
}

/**
 * Reads the chain records of receivers.
 * @param until time of the newest record that counts. @default no limit
 */
export async function readRecords(
  store: Pick<Store, 'receiver'>,
  receivers: readonly Paid[],
  until?: Time,
): Promise<RecordsOf> {
  const keys = new Map(receivers.map((paid) => [networkAddressKey(paid.network, paid.payTo), paid]))
  const records = new Map<string, readonly ReceiverRecord[]>()
  for (const [key, { network, payTo }] of keys) records.set(key, await store.receiver(network, payTo, until))
  return (network, address) => records.get(networkAddressKey(network, address)) ?? []
}

/** Reads the chain records that a judgement by what is carried needs. */
export function readJudgedRecords(
  store: Pick<Store, 'receiver'>,
  carried: Carried,
  until?: Time,
): Promise<RecordsOf> {
  return readRecords(store, listReadReceivers(carried), until)
}
