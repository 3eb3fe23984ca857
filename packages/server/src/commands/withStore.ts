import { type Environment, readStorageConfig } from '../config/storageSettings.ts'
import { openStore } from '../services/openStore.ts'
import type { Store } from '../store/store.ts'

/**
 * Opens the store for one command, also while the service runs, and closes it afterwards.
 * @throws Error with one line per wrong setting, or with the reason why the store cannot be opened
 */
export async function withStore<T>(environment: Environment, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ ...readStorageConfig(environment), isBeside: true })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
