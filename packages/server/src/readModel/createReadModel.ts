import { isTemplate, matchesTemplate } from '@touchstone402/shared'
import { recallEndpoint } from '../audit/recallEndpoint.ts'
import type { CategoryPrice, EndpointState } from '../facts/hostDocument.ts'
import { searchable } from '../facts/searchable.ts'
import { MINUTE } from '../facts/times.ts'
import { createByteCache } from '../lib/createByteCache.ts'
import { type CategoryPrices, listCategoryPrices } from '../publish/categoryPrice.ts'
import type { Match } from '../publish/verdict.ts'
import type { StoredState } from '../store/endpoints.ts'
import { readSummary } from '../store/hosts.ts'
import type { Store } from '../store/store.ts'
import type { Changed } from '../store/tx.ts'
import { createChangeLog } from './createChangeLog.ts'
import { createLookalikes } from './createLookalikes.ts'

/** An endpoint, found by its own key or by the listed template that matches. */
export type Found = {
  readonly state: EndpointState
  readonly match: Match
  /** Leaf of the log that covers the decision. @default not logged yet */
  readonly logIndex?: number
}

/** Reads of endpoints, and what changed since. Answers are kept in front of the listener, not here. */
export type ReadModel = {
  /**
   * Finds an endpoint by its canonical key, or else the listed template that matches it; null if there is none.
   * @throws StoreUnavailableError if the store cannot be read
   */
  find(key: string): Promise<Found | null>
  /**
   * Whether nothing has changed about what `find` returned.
   * @param since revision before the look-up
   */
  isCurrent(key: string, found: Pick<Found, 'match'> | null, since: number): boolean
  /** Returns the price of a real category, or of everything listed. At most 10 minutes old. */
  categoryPrice(category: string | null): Promise<CategoryPrice | undefined>
  /** Returns the older listed host whose name looks like that of a host with characters beyond ASCII. At most 10 minutes old. */
  lookalike(host: string): Promise<string | undefined>
  /** Number of changes seen; equal numbers mean equal content. */
  revision(): number
  /** The same for feeds of changes and incidents alone. */
  newsRevision(): number
  /** Stops following changes. */
  close(): Promise<void>
}

/** Options of `createReadModel`. */
export type ReadModelOptions = {
  /** Unix time in ms. @default Date.now */
  readonly now?: () => number
}

/** Memory for the templates of hosts, in bytes. */
const TEMPLATE_BYTES = 8 * 1024 * 1024

/** Creates the read model of a store. Changes are followed before anything is read. */
export async function createReadModel(
  store: Store,
  { now = Date.now }: ReadModelOptions = {},
): Promise<ReadModel> {
  const changes = createChangeLog()
  /** Templates that each host lists: a summary of a large host is too much to read for each unknown key. */
  const templates = createByteCache<readonly string[]>({
    maxBytes: TEMPLATE_BYTES,
    expiryMs: Number.POSITIVE_INFINITY,
    sizeOf: (listed) => 2 * listed.join().length,
    now,
  })

  const onChange = (changed: Changed | null) => {
    changes.note(changed)
    if (changed === null) templates.clear()
    else templates.drop(changed.host)
  }

  const listTemplates = async (host: string): Promise<readonly string[]> => {
    const known = templates.get(host)
    if (known !== undefined) return known.value
    const since = changes.revision()
    const summary = await readSummary(store, host)
    const listed = (summary?.endpoints ?? []).map(({ endpoint }) => endpoint).filter(isTemplate)
    if (changes.isUnchanged(host, since)) templates.set(host, listed)
    return listed
  }

  const close = await store.watch(onChange)
  return {
    async find(key) {
      const exact = await recallEndpoint(store, key, { now })
      if (exact !== undefined) return toFound(exact, 'exact')
      const listed = await listTemplates(hostOf(key))
      const template = listed.find((one) => matchesTemplate(one, key))
      const matched = template === undefined ? undefined : await recallEndpoint(store, template, { now })
      return matched === undefined ? null : toFound(matched, 'template')
    },
    // A key that is no endpoint itself may become one, or match another template, with any change of its host.
    isCurrent: (key, found, since) =>
      changes.isUnchanged(found?.match === 'exact' ? key : hostOf(key), since),
    categoryPrice: createCategoryPrices(store, now),
    lookalike: createLookalikes(store, now),
    revision: changes.revision,
    newsRevision: changes.newsRevision,
    close,
  }
}

function toFound({ state, logIndex }: StoredState, match: Match): Found {
  return { state, match, ...(typeof logIndex === 'number' && { logIndex }) }
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
  store: Store,
  now: () => number,
): (category: string | null) => Promise<CategoryPrice | undefined> {
  let kept: { readonly at: number; readonly prices: Promise<CategoryPrices> } | undefined

  const read = async () => listCategoryPrices(await store.totals(now()), now())
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
