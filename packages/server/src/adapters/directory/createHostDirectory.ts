import { type Directory, type DirectoryPage, HOST_DIRECTORY, type ListedRow } from '../../ports/directory.ts'
import type { Prober } from '../../ports/prober.ts'
import { readWellKnown } from './hostDocuments.ts'
import { readOpenApi } from './openApi.ts'
import { joinPages } from './readPages.ts'

/** Options of {@link createHostDirectory}. */
export type HostDirectoryOptions = {
  readonly name: string
  /** Returns the origins to ask (`https://host[:port]`), once per walk. */
  origins(): Iterable<string> | Promise<Iterable<string>>
  /**
   * Reads a document, or null if there is none. Hosts are untrusted, so this must be the prober's `document`, which
   * dials under the address guard.
   */
  readDocument(url: string, signal?: AbortSignal): Promise<string | null>
  /** Returns the time, in Unix ms. A document is as fresh as the fetch, whatever it says of itself. */
  now(): number
}

/** Number of hosts asked concurrently, with two requests each, and of hosts per page. */
const BATCH = 16

/**
 * Creates a directory from the documents of hosts, `/.well-known/x402` and `/openapi.json`, 16 hosts per page. If both
 * name an endpoint, the OpenAPI document takes precedence, because it describes the input.
 */
export function createHostDirectory({ name, origins, readDocument, now }: HostDirectoryOptions): Directory {
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
    const claimedAt = now()
    const page = preferFirst(readOpenApi(name, origin, openApi), readWellKnown(name, origin, wellKnown))
    return { ...page, rows: page.rows.map((row) => ({ ...row, claimedAt })) }
  }
  return {
    name,
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

/**
 * Reads the rows of one host now.
 * @returns null if a document could not be read through a fault of ours
 */
export async function readHostRows(
  prober: Pick<Prober, 'document'>,
  origin: string,
  now: () => number,
): Promise<readonly ListedRow[] | null> {
  let isCertain = true
  const onOwnFault = () => {
    isCertain = false
  }
  const readDocument = (url: string) => prober.document(url, undefined, onOwnFault)
  const directory = createHostDirectory({ name: HOST_DIRECTORY, origins: () => [origin], readDocument, now })
  const rows: ListedRow[] = []
  for await (const page of directory.pages()) rows.push(...page.rows)
  return isCertain ? rows : null
}

function preferFirst(first: DirectoryPage, second: DirectoryPage): DirectoryPage {
  const known = new Set(first.rows.map(({ endpoint }) => endpoint))
  const rows = second.rows.filter(({ endpoint }) => !known.has(endpoint))
  return joinPages([first, { ...second, rows }])
}
