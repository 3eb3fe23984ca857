import { onTestFinished } from 'vitest'
import type { Lease, Store } from '../../ports/store.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'

/** A store in memory, whose leases a test can end. */
export type OpenedStore = Store & {
  /** Ends a lease as if its time had passed. */
  expire(name: string): Promise<void>
}

/** Opens a store until the test ends. @param now the audit's clock. @default Date.now */
export async function openStore(now: () => number = Date.now): Promise<OpenedStore> {
  const store = createMemoryStore({ now })
  onTestFinished(store.close)
  const { leases } = store
  const given = new Map<string, Lease>()
  const note = <L extends Lease>(lease: L): L => {
    given.set(lease.name, lease)
    return lease
  }
  return {
    ...store,
    leases: {
      ...leases,
      async take(name) {
        const lease = await leases.take(name)
        return lease && note(lease)
      },
      takeHosts: async (at, options) => (await leases.takeHosts(at, options)).map(note),
    },
    async expire(name) {
      const lease = given.get(name)
      if (lease !== undefined) await leases.release(lease, now())
    },
  }
}
