import { createLowdbStore } from '@touchstone402/server/parts'
import { aHost } from '../manyHosts.ts'

/** Endpoints per host. */
const EACH = 5
const AT_ONCE = 500

/**
 * Fills a data folder with endpoints that were audited for a month and are due again in six hours.
 * @param port port that serves all of them
 * @returns their URLs
 */
export async function fillFolder(directory: string, endpoints: number, port: number): Promise<string[]> {
  const store = await createLowdbStore({ directory })
  const urls: string[] = []
  const now = Date.now()
  let writes: Promise<void>[] = []
  for (let number = 0; number < endpoints / EACH; number++) {
    const document = aHost(number, now, EACH)
    const host = `${document.host}:${port}`
    const states = document.endpoints.map((state) => ({
      ...state,
      host,
      endpoint: `http://${host}${new URL(state.endpoint).pathname}`,
    }))
    urls.push(...states.map(({ endpoint }) => endpoint))
    writes.push(store.putHost({ ...document, host, endpoints: states }))
    if (writes.length < AT_ONCE) continue
    await Promise.all(writes)
    writes = []
  }
  await Promise.all(writes)
  await store.close()
  return urls
}
