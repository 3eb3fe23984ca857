import { asObject } from '@touchstone402/shared'
import type { ListedRow } from '../facts/facts.ts'
import { readList, readMethod, readObject, readText, readUrl } from '../lib/fields.ts'
import { isFreeOfCharge, readClaims, readPriceUsd, refuseUnpayable } from './claims.ts'
import type { DirectoryPage } from './directory.ts'
import { readParameters } from './parameters.ts'
import { MAX_ENTRIES, mapPage } from './readPages.ts'
import { hasOutput, readBazaarInput, readV1Input } from './sampleInput.ts'
import { SkippedRowError, toRow } from './toRow.ts'
import { listEntries, URL_FIELDS, type WellKnownEntry } from './wellKnownEntries.ts'

/**
 * Reads `/.well-known/x402`. An entry is a URL, `METHOD URL`, or an object with a URL and terms. Objects take precedence
 * over texts of the same endpoint. Skips entries of other hosts, and what is free of charge.
 */
export function readWellKnown(directory: string, origin: string, document: unknown): DirectoryPage {
  const entries = listEntries(document).toSorted((a, b) => Number(isText(a)) - Number(isText(b)))
  const page = mapPage(entries, (entry) => mapEntry(directory, origin, entry), MAX_ENTRIES)
  const byEndpoint = new Map(page.rows.toReversed().map((row) => [row.endpoint, row]))
  return { ...page, rows: [...byEndpoint.values()].reverse() }
}

const isText = ({ entry }: WellKnownEntry) => typeof entry === 'string'

function mapEntry(directory: string, origin: string, { entry, shared }: WellKnownEntry): ListedRow {
  const row = typeof entry === 'string' ? { url: entry } : asObject(entry)
  const text = readUrl(row, ...URL_FIELDS)
  if (row === undefined || text === undefined) throw new SkippedRowError('malformed')
  refuseUnpayable(row)
  const [, verb, rest] = /^([A-Za-z]+)\s+(\S+)$/.exec(text) ?? []
  const listedUrl = resolveOwn(origin, rest ?? text)
  // Terms are in `accepts`, or in the entry itself and what its document states for all.
  const accepts = readList(row, 'accepts') ?? [{ ...shared, ...row }]
  if (row.free === true || isFreeOfCharge(accepts)) throw new SkippedRowError('free')
  const { claims, entry: terms } = readClaims(accepts)
  const extension = readObject(readObject(row, 'extensions'), 'bazaar')
  const method = readMethod({ verb }, 'verb') ?? readMethod(row, 'method', 'httpMethod', 'http_method')
  return toRow({
    directory,
    listedUrl,
    method,
    input: readBazaarInput(extension) ?? readParameters(row, method) ?? readV1Input(terms),
    declaresOutput: hasOutput(extension, terms),
    title: readText(row, 'description', 'name'),
    category: readText(row, 'category'),
    claims: { ...claims, priceUsd: claims.priceUsd ?? readPriceUsd(row) },
    claimedAt: null,
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
