import type { HostDocument } from '../../facts/hostDocument.ts'
import type { Store } from '../../ports/store.ts'

/** Puts the endpoints of host documents into a store. */
export async function putHosts(
  store: Pick<Store, 'putEndpoint'>,
  ...hosts: readonly HostDocument[]
): Promise<void> {
  for (const { endpoints } of hosts) for (const state of endpoints) await store.putEndpoint(state)
}
