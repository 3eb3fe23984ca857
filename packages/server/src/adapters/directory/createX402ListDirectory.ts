import type { Directory, DirectoryPage, ListedRow } from '../../ports/directory.ts'
import {
  asObject,
  type Row,
  readList,
  readMethod,
  readNumber,
  readObject,
  readText,
} from '../../remote/fields.ts'
import type { RemoteDirectoryOptions } from '../../remote/readJson.ts'
import { createReadJson, DirectoryError, type ReadJson } from '../../remote/readJson.ts'
import { readClaims, readNetwork } from './claims.ts'
import { mapPage } from './readPages.ts'
import { NO_CLAIMS, toRow } from './toRow.ts'

/** How x402-list is read. */
export type X402ListOptions = RemoteDirectoryOptions & {
  /** Services whose endpoints are read anew in one walk; the others keep what they had. @default 300 */
  readonly maxDetails?: number
}

const PATH = '/api/v1/services'
const PAGE_SIZE = 100
const MAX_PAGES = 1_000
/** Walks after which a service's endpoints are read again though its row has not changed. */
const STALE_WALKS = 8

/** After so many failures in a row a walk asks for no more endpoints: the index has had enough, or is down. */
const MAX_FAILURES = 3
/** Fields of a service's row that change when its endpoints do. */
const MARKS = ['endpoint_count', 'min_price_usd', 'networks_caip2', 'base_url']

/** What a walk may still ask for. */
type Quota = { left: number; failures: number }

/** What was read of one service, and the row that it was read for. */
type Known = { readonly mark: string; readonly walk: number; readonly page: DirectoryPage }

/**
 * Creates the directory of x402-list: `GET /api/v1/services` names services, `/services/{slug}` their endpoints with
 * prices and receivers. It allows 2,000 free calls a day, so a service is read again only when its row has changed or
 * was last read long ago, and only so many in one walk. Its claims are the index's word.
 */
export function createX402ListDirectory(options: X402ListOptions): Directory {
  const { name, maxDetails = 300, pauseMs = 100 } = options
  const readJson = createReadJson(options)
  const base = options.url.replace(/\/+$/, '')
  const url = base.endsWith(PATH) ? base : base + PATH
  const known = new Map<string, Known>()
  let walk = 0

  /** One service's endpoints: what is known of it, or what is read now while the walk may still ask. */
  async function readService(item: unknown, quota: Quota, signal?: AbortSignal): Promise<DirectoryPage> {
    const row = asObject(item)
    const slug = readText(row, 'slug')
    if (row === undefined || slug === null) return { rows: [], rejected: 1 }
    const mark = JSON.stringify(MARKS.map((field) => row[field]))
    const before = known.get(slug)
    const isFresh = before?.mark === mark && walk - before.walk < STALE_WALKS
    if (!isFresh && quota.left > 0 && quota.failures < MAX_FAILURES) {
      quota.left--
      await pause(pauseMs)
      try {
        const detail = await readJson(`${url}/${encodeURIComponent(slug)}`, signal)
        known.set(slug, { mark, walk, page: mapService(name, asObject(detail)) })
        quota.failures = 0
      } catch (error) {
        if (signal?.aborted === true) throw error
        quota.failures++
        if (before === undefined) return { rows: [], rejected: 1 }
      }
    }
    // Health changes often and costs no call.
    const page = known.get(slug)?.page
    return page === undefined ? { rows: [], rejected: 0 } : withHealth(page, readHealth(row))
  }

  return {
    name,
    async *pages(signal) {
      walk++
      const quota = { left: maxDetails, failures: 0 }
      const seen = new Set<unknown>()
      for await (const services of readServices(readJson, url, pauseMs, signal)) {
        const rows: ListedRow[] = []
        let rejected = 0
        for (const service of services) {
          seen.add(asObject(service)?.slug)
          const page = await readService(service, quota, signal)
          rows.push(...page.rows)
          rejected += page.rejected
        }
        yield { rows, rejected }
      }
      for (const slug of known.keys()) if (!seen.has(slug)) known.delete(slug)
    },
  }
}

async function* readServices(
  readJson: ReadJson,
  url: string,
  pauseMs: number,
  signal: AbortSignal | undefined,
): AsyncIterable<readonly unknown[]> {
  for (let page = 1; page <= MAX_PAGES; page++) {
    if (page > 1) await pause(pauseMs)
    const answer = asObject(await readJson(`${url}?per_page=${PAGE_SIZE}&page=${page}`, signal))
    const services = readList(answer, 'data')
    if (services === undefined) throw new DirectoryError(`${url} holds no list of services`)
    if (services.length === 0) return
    yield services
    const total = readNumber(readObject(answer, 'meta'), 'total_pages')
    if (total === null || page >= total) return
  }
}

function mapService(directory: string, detail: Row | undefined): DirectoryPage {
  // Answers come plain or wrapped.
  const service = readObject(detail, 'data') ?? detail
  const base = typeof service?.base_url === 'string' ? service.base_url : ''
  const endpoints = readList(service, 'endpoints') ?? []
  return mapPage(endpoints.slice(0, 1_000), (item) => mapEndpoint(directory, base, service, item))
}

function mapEndpoint(
  directory: string,
  base: string,
  service: Row | undefined,
  item: unknown,
): ListedRow | null {
  const endpoint = asObject(item)
  if (endpoint === undefined || typeof endpoint.path !== 'string')
    throw new DirectoryError('an endpoint has no path')
  if (endpoint.is_active === false) return null
  const prices = (readList(endpoint, 'pricing') ?? []).flatMap((price) => asObject(price) ?? [])
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

/** A price of the index, as an entry of a challenge would say it. */
function toEntry(price: unknown): Row {
  const row = asObject(price) ?? {}
  const network = readNetwork(row, 'network_caip2', 'network')
  return { network, asset: row.asset ?? row.asset_norm, amount: row.price, payTo: row.pay_to }
}

/** Online, degraded or offline; anything else says nothing. */
function readHealth(row: Row): boolean | null {
  const status = readText(row, 'status')
  if (status === 'online') return true
  return status === 'degraded' || status === 'offline' ? false : null
}

function withHealth({ rows, rejected }: DirectoryPage, healthy: boolean | null): DirectoryPage {
  return { rows: rows.map((row) => ({ ...row, claims: { ...row.claims, healthy } })), rejected }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
