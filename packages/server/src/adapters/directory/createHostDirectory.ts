import type { Directory, DirectoryPage } from '../../ports/directory.ts'
import { readWellKnown } from './hostDocuments.ts'
import { readOpenApi } from './openApi.ts'

/** A directory that asks hosts themselves. */
export type HostDirectoryOptions = {
  readonly name: string
  /** Origins to ask, `https://host[:port]`, taken anew for each walk. */
  origins(): Iterable<string>
  /**
   * Reads a small document, or null where there is none. What a host says is as untrusted as the host, so this is the
   * prober's `document`, which dials through the address guard.
   */
  readDocument(url: string, signal?: AbortSignal): Promise<string | null>
}

/** Hosts that are asked side by side, each two questions; and hosts a page. */
const BATCH = 16

/**
 * Creates the directory of hosts' own words: `/.well-known/x402` and `/openapi.json`, 16 hosts a page. Where both name
 * an endpoint, the OpenAPI document counts, since it says how to call it. A host that says nothing adds nothing.
 */
export function createHostDirectory({ name, origins, readDocument }: HostDirectoryOptions): Directory {
  const readJson = async (url: string, signal?: AbortSignal): Promise<unknown> => {
    const text = await readDocument(url, signal)
    try {
      return text === null ? undefined : JSON.parse(text)
    } catch {
      return undefined
    }
  }
  const readHost = async (origin: string, signal?: AbortSignal): Promise<DirectoryPage> => {
    const [openApi, wellKnown] = await Promise.all([
      readJson(`${origin}/openapi.json`, signal),
      readJson(`${origin}/.well-known/x402`, signal),
    ])
    return preferFirst(readOpenApi(name, origin, openApi), readWellKnown(name, origin, wellKnown))
  }
  return {
    name,
    async *pages(signal) {
      // Taken at once: the hosts that are known grow while they are walked.
      const left = [...origins()].reverse()
      const asked: Promise<DirectoryPage>[] = []
      const answered: DirectoryPage[] = []
      for (;;) {
        signal?.throwIfAborted()
        // The next one is asked as one answers: were all asked together, all answers would come together as well.
        for (let origin = left.pop(); origin !== undefined; origin = left.pop()) {
          const page = readHost(origin, signal)
          page.catch(() => undefined)
          if (asked.push(page) === BATCH) break
        }
        const page = await asked.shift()
        if (page !== undefined) answered.push(page)
        if (answered.length === BATCH || (page === undefined && answered.length > 0))
          yield joinPages(answered.splice(0))
        if (page === undefined) return
      }
    },
  }
}

const joinPages = (pages: readonly DirectoryPage[]): DirectoryPage => ({
  rows: pages.flatMap(({ rows }) => rows),
  rejected: pages.reduce((sum, { rejected }) => sum + rejected, 0),
})

function preferFirst(first: DirectoryPage, second: DirectoryPage): DirectoryPage {
  const known = new Set(first.rows.map(({ endpoint }) => endpoint))
  return {
    rows: [...first.rows, ...second.rows.filter(({ endpoint }) => !known.has(endpoint))],
    rejected: first.rejected + second.rejected,
  }
}
