import { asObject } from '@touchstone402/shared'
import type { DirectoryPage, ListedRow } from '../../ports/directory.ts'
import {
  type Row,
  readList,
  readMethod,
  readNumber,
  readObject,
  readText,
  readTime,
  readUrl,
} from '../../remote/fields.ts'
import { readClaims, refuseUnpayable } from './claims.ts'
import { MAX_ENTRIES, mapPage } from './readPages.ts'
import { hasOutput, readBazaarInput, readV1Input } from './sampleInput.ts'
import { NO_CLAIMS, SkippedRowError, toRow } from './toRow.ts'

const LISTS = ['resources', 'endpoints', 'services', 'items']

/**
 * Reads `/.well-known/x402`: a list, or an object with lists under {@link LISTS}, at the top or under `x402`. An entry is
 * a URL, `METHOD URL`, or an object with a URL and terms; a service may contain a list. Objects take precedence
 * over texts of the same endpoint. Skips entries of other hosts.
 */
export function readWellKnown(directory: string, origin: string, document: unknown): DirectoryPage {
  const entries = listEntries(document).sort((a, b) => Number(isText(a)) - Number(isText(b)))
  const page = mapPage(entries, (entry) => mapEntry(directory, origin, entry), MAX_ENTRIES)
  const byEndpoint = new Map(page.rows.toReversed().map((row) => [row.endpoint, row]))
  return { ...page, rows: [...byEndpoint.values()].reverse() }
}

const isText = (entry: unknown) => typeof entry === 'string'

function listEntries(document: unknown): unknown[] {
  if (Array.isArray(document)) return [...document]
  const top = asObject(document)
  return [top, readObject(top, 'x402')].flatMap((row) =>
    LISTS.flatMap((name) => readList(row, name) ?? []).flatMap(expandService),
  )
}

/** Returns the entries of a service that contains a list, with their URLs under the service's. */
function expandService(entry: unknown): readonly unknown[] {
  const service = asObject(entry)
  const own = readList(service, ...LISTS)
  if (own === undefined) return [entry]
  const base = (readUrl(service, 'baseUrl', 'base_url', 'url') ?? '').replace(/\/+$/, '')
  return own.map((one) => {
    const row = asObject(one)
    const path = isText(one) ? one : readUrl(row, 'path')
    return typeof path === 'string' && path.startsWith('/') ? { ...row, url: base + path } : one
  })
}

function mapEntry(directory: string, origin: string, entry: unknown): ListedRow {
  const row = typeof entry === 'string' ? { url: entry } : asObject(entry)
  const text = readUrl(row, 'url', 'resource', 'endpoint', 'path')
  if (row === undefined || text === undefined) throw new SkippedRowError('malformed')
  refuseUnpayable(row)
  const [, verb, rest] = /^([A-Za-z]+)\s+(\S+)$/.exec(text) ?? []
  const listedUrl = resolveOwn(origin, rest ?? text)
  // Terms are in `accepts`, or in the entry itself.
  const { claims, entry: terms } = readClaims(readList(row, 'accepts') ?? [row])
  const extension = readObject(readObject(row, 'extensions'), 'bazaar')
  return toRow({
    directory,
    listedUrl,
    method: readMethod({ verb }, 'verb') ?? readMethod(row, 'method'),
    input: readBazaarInput(extension) ?? readV1Input(terms),
    declaresOutput: hasOutput(extension, terms),
    title: readText(row, 'description', 'name'),
    category: readText(row, 'category'),
    claims: { ...claims, priceUsd: claims.priceUsd ?? readNumber(row, 'price_usd', 'priceUsd') },
    claimedAt: readTime(row, 'lastUpdated', 'updatedAt'),
    ownClaim: true,
  })
}

/**
 * Resolves a URL in a host's own document.
 * @throws SkippedRowError for an invalid URL, or one of another scheme or host
 */
export function resolveOwn(origin: string, text: string): string {
  if (!URL.canParse(text, `${origin}/`)) throw new SkippedRowError('url_invalid')
  const url = new URL(text, `${origin}/`)
  if (!/^https?:$/.test(url.protocol)) throw new SkippedRowError('not_http')
  if (url.host !== new URL(origin).host) throw new SkippedRowError('other_host')
  return url.href
}

/** Returns claims with only a price in dollars. */
export function claimPrice(payment: Row | undefined): ListedRow['claims'] {
  const price = readObject(payment, 'price')
  const text = price?.amount ?? payment?.price ?? payment?.amount
  const usd =
    typeof text === 'string' && /^\$?[0-9]{1,9}(\.[0-9]{1,18})?$/.test(text)
      ? Number(text.replace('$', ''))
      : text
  return { ...NO_CLAIMS, priceUsd: readNumber({ usd }, 'usd') }
}
