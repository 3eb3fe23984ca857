import { onTestFinished } from 'vitest'
import type { Lease } from '../../store/leases.ts'
import type { Store } from '../../store/store.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { withUnits } from '../../store/testing/withFaults.ts'

/** A store in memory, whose leases a test can end. */
export type OpenedStore = Store & {
  /** Ends a lease as if its time had passed. */
  expire(name: string): Promise<void>
}

/** Opens a store until the test ends. @param now the audit's clock. @default Date.now */
export async function openStore(now: () => number = Date.now): Promise<OpenedStore> {
  const store = createMemoryStore()
  onTestFinished(store.close)
  const given = new Map<string, Lease>()
  const note = <L extends Lease>(lease: L): L => {
    given.set(lease.name, lease)
    return lease
  }
  return {
    ...withUnits(store, {
      async takeLease(name) {
        const lease = await store.write('takeLease', name)
        return lease && note(lease)
      },
      takeHosts: async (at, options) => (await store.write('takeHosts', at, options)).map(note),
    }),
    async expire(name) {
      const lease = given.get(name)
      if (lease !== undefined) await store.write('releaseLease', lease, now())
    },
  }
}
