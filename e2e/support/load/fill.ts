import { createEmbeddedStore } from '@touchstone402/server/parts'
import { putHosts } from '../manyHosts.ts'

/** Endpoints per host. */
const EACH = 5

/**
 * Fills a data folder with endpoints that were audited for a month and are due again in six hours.
 * @param port port that serves all of them
 * @returns their URLs
 */
export async function fillFolder(directory: string, endpoints: number, port: number): Promise<string[]> {
  const store = await createEmbeddedStore({ directory })
  try {
    return await putHosts(store, {
      hosts: endpoints / EACH,
      now: Date.now(),
      endpoints: EACH,
      originOf: (name) => `http://${name}:${port}`,
    })
  } finally {
    await store.close()
  }
}
