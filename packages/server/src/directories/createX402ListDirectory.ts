import { asObject } from '@touchstone402/shared'
import type { ListedRow } from '../facts/facts.ts'
import { NO_CLAIMS } from '../facts/facts.ts'
import { type Row, readList, readMethod, readNumber, readObject, readText, readUrl } from '../lib/fields.ts'
import { createReadJson, DirectoryError, type RemoteDirectoryOptions } from '../lib/readJson.ts'
import { readClaims, readHealth, readNetwork } from './claims.ts'
import { apiUrl } from './createPagedDirectory.ts'
import type { Directory, DirectoryPage } from './directory.ts'
import { joinPages, MAX_ENTRIES, mapPage, pause, readPages } from './readPages.ts'
import { SkippedRowError, toRow } from './toRow.ts'

const PAGE_SIZE = 100
/** Maximum number of services whose endpoints are read in one walk; the others use the cache. */
const MAX_DETAILS = 300
/** Cached endpoints of an unchanged service expire after this many walks. */
const STALE_WALKS = 8
/** After this many failures in a row, a walk reads no more endpoints. */
const MAX_FAILURES = 3
/** Fields of a service that change when its endpoints change. */
const MARKS = ['endpoint_count', 'min_price_usd', 'networks_caip2', 'base_url']

/** Remaining reads and failures of one walk. */
type Quota = { left: number; failures: number }

/** Cached endpoints of a service. `mark` holds the {@link MARKS} at the time of reading. */
type Cached = { readonly mark: string; readonly walk: number; readonly page: DirectoryPage }

/**
 * Creates the x402-list directory: `GET /api/v1/services` lists services, `/services/{slug}` their endpoints with
 * prices and receivers. It allows 2,000 free calls a day, so endpoints are cached until the service changes or the
 * cache expires, and each walk reads a limited number. Its claims are the index's own, not the seller's.
 */
export function createX402ListDirectory(options: RemoteDirectoryOptions): Directory {
  const { name } = options
  const { pauseMs } = options.pace
  const readJson = createReadJson(options)
  const url = apiUrl(options.url, '/api/v1/services')
  const cache = new Map<string, Cached>()
  let walk = 0

  /** Reads the endpoints of a service, from the cache if fresh or if the quota is used up. */
  async function readService(item: unknown, quota: Quota, signal?: AbortSignal): Promise<DirectoryPage> {
    const row = asObject(item)
    const slug = readText(row, 'slug')
    if (row === undefined || slug === null) return { rows: [], skipped: { malformed: 1 } }
    const mark = JSON.stringify(MARKS.map((field) => row[field]))
    const before = cache.get(slug)
    const isFresh = before?.mark === mark && walk - before.walk < STALE_WALKS
    if (!isFresh && quota.left > 0 && quota.failures < MAX_FAILURES) {
      quota.left--
      await pause(pauseMs)
      try {
        const detail = await readJson(`${url}/${encodeURIComponent(slug)}`, signal)
        cache.set(slug, { mark, walk, page: mapService(name, asObject(detail)) })
        quota.failures = 0
      } catch (error) {
        if (signal?.aborted === true) throw error
        quota.failures++
        if (before === undefined) return { rows: [], skipped: { unread: 1 } }
      }
    }
    const { rows, skipped } = cache.get(slug)?.page ?? { rows: [], skipped: { unread: 1 } }
    // The list has the current health, at no extra call.
    const healthy = readHealth(readText(row, 'status'), 'online', ['degraded', 'offline'])
    return { rows: rows.map((one) => ({ ...one, claims: { ...one.claims, healthy } })), skipped }
  }

  return {
    name,
    async *pages(signal) {
      walk++
      const quota = { left: MAX_DETAILS, failures: 0 }
      const seen = new Set<unknown>()
      const read = async (_offset: number, index: number) => {
        const answer = asObject(await readJson(`${url}?per_page=${PAGE_SIZE}&page=${index + 1}`, signal))
        const items = readList(answer, 'data')
        if (items === undefined) throw new DirectoryError(`${url} holds no list of services`)
        const pages = readNumber(readObject(answer, 'meta'), 'total_pages')
        return { items, isLast: pages === null || index + 1 >= pages }
      }
      for await (const services of readPages({ read, pauseMs, signal })) {
        const pages: DirectoryPage[] = []
        for (const service of services) {
          seen.add(asObject(service)?.slug)
          pages.push(await readService(service, quota, signal))
        }
        yield joinPages(pages)
      }
      for (const slug of cache.keys()) if (!seen.has(slug)) cache.delete(slug)
    },
  }
}

function mapService(directory: string, detail: Row | undefined): DirectoryPage {
  // Some answers are wrapped in `data`.
  const service = readObject(detail, 'data') ?? detail
  const endpoints = readList(service, 'endpoints') ?? []
  return mapPage(endpoints, (item) => mapEndpoint(directory, service, item), MAX_ENTRIES)
}

function mapEndpoint(directory: string, service: Row | undefined, item: unknown): ListedRow {
  const endpoint = asObject(item)
  const base = readUrl(service, 'base_url')
  if (typeof endpoint?.path !== 'string' || base === undefined || !URL.canParse(endpoint.path, base)) {
    throw new SkippedRowError('malformed')
  }
  if (endpoint.is_active === false) throw new SkippedRowError('inactive')
  const prices = (readList(endpoint, 'pricing') ?? []).map(asObject).filter((price) => price !== undefined)
  const { claims } = readClaims(prices.map(toEntry))
  return toRow({
    directory,
    listedUrl: new URL(endpoint.path, base).href,
    method: readMethod(endpoint, 'method'),
    title: readText(endpoint, 'description') ?? readText(service, 'name'),
    category: readText(service, 'category'),
    claims: prices.length > 0 ? claims : { ...NO_CLAIMS, priceUsd: readNumber(endpoint, 'min_price_usd') },
    claimedAt: null,
    ownClaim: false,
  })
}

/** Converts a price of the index to an entry of a challenge. */
function toEntry(price: Row): Row {
  const network = readNetwork(price, 'network_caip2', 'network')
  return { network, asset: price.asset ?? price.asset_norm, amount: price.price, payTo: price.pay_to }
}
