import { isTemplate, matchesTemplate } from '@touchstone402/shared'
import type { CategoryPrice, EndpointState } from '../facts/hostDocument.ts'
import { searchable } from '../facts/searchable.ts'
import { MINUTE } from '../facts/times.ts'
import type { Changed, Store, StoredState } from '../ports/store.ts'
import { type CategoryPrices, listCategoryPrices } from '../publish/categoryPrice.ts'
import type { Match } from '../publish/verdict.ts'
import { createChangeLog } from './createChangeLog.ts'
import { createHostCache } from './createHostCache.ts'

/** An endpoint, found by its own key or by the listed template that matches. */
export type Found = {
  readonly state: EndpointState
  readonly match: Match
  /** Leaf of the log that covers the decision. @default not logged yet */
  readonly logIndex?: number
}

/** Cached reads of endpoints, kept right by the store's notice of changes. */
export type ReadModel = {
  /**
   * Finds an endpoint by its canonical key, or else the listed template that matches it; null if there is none.
   * Synchronous if the answer is cached.
   * @throws StoreUnavailableError if the store cannot be read
   */
  find(key: string): Found | null | Promise<Found | null>
  /**
   * Whether nothing has changed about what `find` returned.
   * @param since revision before the look-up
   */
  isCurrent(key: string, found: Pick<Found, 'match'> | null, since: number): boolean
  /** Returns the price of a real category, or of everything listed. At most 10 minutes old. */
  categoryPrice(category: string | null): Promise<CategoryPrice | undefined>
  /** Number of changes seen; equal numbers mean equal content. */
  revision(): number
  cacheStats(): CacheStats
  /** Stops following changes. */
  close(): Promise<void>
}

/** Use of the cache, for operators. */
export type CacheStats = { readonly bytes: number; readonly hits: number; readonly misses: number }

/** Options of `createReadModel`. */
export type ReadModelOptions = {
  /** Heap for cached endpoints in bytes, by estimate. @default 64 MiB */
  readonly cacheBytes?: number
  /** Unix time in ms. @default Date.now */
  readonly now?: () => number
}

type Read = { readonly host: string; readonly found: Promise<Found | null> }

const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024
/** Heap of an object per character of its JSON, as measured. */
const HEAP_PER_CHAR = 3

/** Creates the read model of a store. It follows changes from the start, so it misses none. */
export async function createReadModel(
  store: Pick<Store, 'endpoint' | 'summary' | 'totals' | 'watch'>,
  { cacheBytes = DEFAULT_CACHE_BYTES, now = Date.now }: ReadModelOptions = {},
): Promise<ReadModel> {
  const answers = createHostCache<Found | null>((cacheBytes * 7) / 8)
  /** Templates that each host lists: a summary of a large host is too much to read for each unknown key. */
  const templates = createHostCache<readonly string[]>(cacheBytes / 8)
  /** Reads under way by key, without those that a change has outdated. */
  const reads = new Map<string, Read>()
  const changes = createChangeLog()
  let hits = 0
  let misses = 0

  const onChange = (changed: Changed | null) => {
    changes.note(changed)
    if (changed === null) {
      answers.clear()
      templates.clear()
      reads.clear()
      return
    }
    answers.drop(changed.endpoint)
    answers.dropHost(changed.host)
    templates.drop(changed.host)
    for (const [key, { host }] of reads) if (host === changed.host) reads.delete(key)
  }

  const startRead = (key: string): Promise<Found | null> => {
    const host = hostOf(key)
    const isCurrent = () => reads.get(key) === read
    const listTemplates = async () => {
      const known = templates.get(host)
      if (known !== undefined) return known
      const summary = await store.summary(host)
      const listed = (summary?.endpoints ?? []).map(({ endpoint }) => endpoint).filter(isTemplate)
      if (isCurrent()) templates.put(host, listed, 2 * listed.join().length)
      return listed
    }
    const readStore = async (): Promise<Found | null> => {
      const exact = await store.endpoint(key)
      if (exact !== undefined) return toFound(exact, 'exact')
      const template = (await listTemplates()).find((listed) => matchesTemplate(listed, key))
      const matched = template === undefined ? undefined : await store.endpoint(template)
      return matched === undefined ? null : toFound(matched, 'template')
    }
    const readAndKeep = async () => {
      try {
        const found = await readStore()
        if (isCurrent()) answers.put(key, found, sizeOf(found), found?.match === 'exact' ? undefined : host)
        return found
      } finally {
        if (isCurrent()) reads.delete(key)
      }
    }
    const read: Read = { host, found: readAndKeep() }
    reads.set(key, read)
    return read.found
  }

  const close = await store.watch(onChange)
  return {
    find(key) {
      const known = answers.get(key)
      if (known !== undefined) {
        hits++
        return known
      }
      misses++
      return reads.get(key)?.found ?? startRead(key)
    },
    // A key that is no endpoint itself may become one, or match another template, with any change of its host.
    isCurrent: (key, found, since) =>
      changes.isUnchanged(found?.match === 'exact' ? key : hostOf(key), since),
    categoryPrice: createCategoryPrices(store, now),
    revision: changes.revision,
    cacheStats: () => ({ bytes: answers.bytes() + templates.bytes(), hits, misses }),
    close,
  }
}

function toFound({ state, logIndex }: StoredState, match: Match): Found {
  return { state, match, ...(typeof logIndex === 'number' && { logIndex }) }
}

function sizeOf(found: Found | null): number {
  return found === null ? 0 : HEAP_PER_CHAR * JSON.stringify(found.state).length
}

/** Returns the host, with its port, of a canonical key. */
export function hostOf(key: string): string {
  const begin = key.indexOf('//') + 2
  return key.slice(begin, key.indexOf('/', begin))
}

/** Medians change slowly. */
const KEPT_MS = 10 * MINUTE

/** Creates a cached look-up of the price of a category, or of everything listed if it is none or too large. */
function createCategoryPrices(
  store: Pick<Store, 'totals'>,
  now: () => number,
): (category: string | null) => Promise<CategoryPrice | undefined> {
  let kept: { readonly at: number; readonly prices: Promise<CategoryPrices> } | undefined

  const read = async () => listCategoryPrices((await store.totals(now())).endpoints)
  return async (category) => {
    if (kept === undefined || now() - kept.at >= KEPT_MS) {
      const entry = { at: now(), prices: read() }
      kept = entry
      entry.prices.catch(() => {
        if (kept === entry) kept = undefined
      })
    }
    const { whole, byCategory } = await kept.prices
    return category === null ? whole : (byCategory.get(searchable(category)) ?? whole)
  }
}
