import type { Carried, EndpointState, HostDocument } from '../../domain/facts/hostDocument.ts'
import type { Store } from '../../ports/store.ts'

/** Puts the endpoints of host documents into a store, with nothing carried. */
export async function putHosts(
  store: Pick<Store, 'putEndpoint'>,
  ...hosts: readonly HostDocument[]
): Promise<void> {
  for (const { endpoints } of hosts) for (const state of endpoints) await putState(store, state)
}

/** Puts one endpoint into a store, with nothing carried. */
export async function putState(store: Pick<Store, 'putEndpoint'>, state: EndpointState): Promise<void> {
  // The tests that use it judge nothing.
  const carried = { scoreVersion: state.scoreVersion, lastAt: state.derivedAt } as Carried
  await store.putEndpoint({ state, carried })
}
