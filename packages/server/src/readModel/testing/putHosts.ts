import type { HostDocument } from '../../facts/hostDocument.ts'
import type { Store } from '../../store/store.ts'

/** Puts the endpoints of host documents into a store. */
export async function putHosts(store: Store, ...hosts: readonly HostDocument[]): Promise<void> {
  for (const { endpoints } of hosts) for (const state of endpoints) await store.write('putEndpoint', state)
}
