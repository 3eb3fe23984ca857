import { HOST_DIRECTORY } from '../facts/facts.ts'
import type { Directory, DirectoryPage } from './directory.ts'
import { joinPages } from './readPages.ts'

/** Options of {@link createHostDirectory}. */
export type HostDirectoryOptions = {
  /** Returns the origins to ask (`https://host[:port]`), once per walk. */
  origins(): Iterable<string> | Promise<Iterable<string>>
  /** Reads what the documents of a host declare. */
  readHost(origin: string, signal?: AbortSignal): Promise<DirectoryPage>
}

/** Number of hosts asked concurrently, with two requests each, and of hosts per page. */
const BATCH = 16

/** Creates a directory from the documents of hosts, `/.well-known/x402` and `/openapi.json`, 16 hosts per page. */
export function createHostDirectory({ origins, readHost }: HostDirectoryOptions): Directory {
  return {
    name: HOST_DIRECTORY,
    isInternal: true,
    async *pages(signal) {
      // A copy, because known hosts are added during the walk.
      const hosts = [...(await origins())]
      const asked: Promise<DirectoryPage>[] = []
      const answered: DirectoryPage[] = []
      let next = 0
      while (next < hosts.length || asked.length > 0) {
        signal?.throwIfAborted()
        // A sliding window spreads the answers over time, unlike batches.
        for (const origin of hosts.slice(next, next + BATCH - asked.length)) {
          const page = readHost(origin, signal)
          page.catch(() => undefined)
          asked.push(page)
          next++
        }
        const page = await asked.shift()
        if (page !== undefined) answered.push(page)
        if (answered.length === BATCH) yield joinPages(answered.splice(0))
      }
      if (answered.length > 0) yield joinPages(answered)
    },
  }
}
