import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'

export type RebuilderDeps = {
  readonly store: Pick<Store, 'ranked' | 'summary' | 'endpoint'>
  /** Judges an endpoint by the running rules; serialised with other work on its host. */
  readonly rebuild: (endpoint: string) => Promise<unknown>
  /** The running version of the score. */
  readonly scoreVersion: string
  readonly clock: Pick<Clock, 'now'>
  readonly onProgress?: (progress: RebuildProgress) => void
  readonly onError?: (endpoint: string, error: unknown) => void
}

/** Progress of a pass over all hosts. */
export type RebuildProgress = {
  readonly rebuilt: number
  readonly failed: number
  /** The host that was passed last, in order of names; null at the end. */
  readonly host: string | null
}

/** Number of hosts read from the index at once. */
const PAGE = 200
/** Number of rebuilt documents between two reports of progress. */
const REPORT_EVERY = 1000
/** Minimum pause after a rebuilt document, in ms. */
const MIN_PAUSE_MS = 5

/**
 * Rebuilds the documents that another version of the score made, host by host, while the old ones answer. It rests as long
 * as each one took, so answers and probes come first. A stopped pass starts over and skips what it rebuilt.
 */
export async function rebuildDocuments(deps: RebuilderDeps, signal: AbortSignal): Promise<void> {
  const { store, clock } = deps
  let rebuilt = 0
  let failed = 0

  const rebuildHost = async (host: string) => {
    for (const endpoint of await listOutdated(deps, host)) {
      if (signal.aborted) return
      const startedAt = performance.now()
      try {
        await deps.rebuild(endpoint)
        rebuilt++
      } catch (error) {
        failed++
        deps.onError?.(endpoint, error)
      }
      if ((rebuilt + failed) % REPORT_EVERY === 0) deps.onProgress?.({ rebuilt, failed, host })
      const tookMs = performance.now() - startedAt
      await sleep(Math.max(MIN_PAUSE_MS, tookMs), undefined, { signal }).catch(() => undefined)
    }
  }

  const readPage = async (after: string) => {
    const hosts: string[] = []
    for await (const host of store.ranked('names', clock.now(), { after, limit: PAGE })) hosts.push(host)
    return hosts
  }
  let hosts = await readPage('')
  for (; hosts.length > 0 && !signal.aborted; hosts = await readPage(hosts.at(-1) ?? '')) {
    for (const host of hosts) if (!signal.aborted) await rebuildHost(host)
  }
  if (rebuilt + failed > 0 && !signal.aborted) deps.onProgress?.({ rebuilt, failed, host: null })
}

/** Returns the endpoints of a host whose documents are of another version. */
async function listOutdated({ store, scoreVersion }: RebuilderDeps, host: string): Promise<string[]> {
  const { endpoints = [] } = (await store.summary(host)) ?? {}
  const outdated: string[] = []
  // The summary names the version of the verdict, so most documents need not be read.
  for (const { endpoint } of endpoints.filter((row) => row.scoreVersion !== scoreVersion)) {
    const document = await store.endpoint(endpoint)
    if (document !== undefined && document.carried.scoreVersion !== scoreVersion) outdated.push(endpoint)
  }
  return outdated
}
