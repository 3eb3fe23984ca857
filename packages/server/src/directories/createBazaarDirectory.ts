import type { ListedRow } from '../facts/facts.ts'
import {
  type Row,
  readList,
  readMethod,
  readNumber,
  readObject,
  readText,
  readTime,
  readUrl,
} from '../lib/fields.ts'
import type { RemoteDirectoryOptions } from '../lib/readJson.ts'
import { readClaims } from './claims.ts'
import { createPagedDirectory } from './createPagedDirectory.ts'
import type { Directory } from './directory.ts'
import { hasOutput, readBazaarInput, readV1Input } from './sampleInput.ts'
import { SkippedRowError, toRow } from './toRow.ts'

/**
 * Creates the directory of an x402 facilitator: `GET /discovery/resources`, v1 and v2 items. The URL is in `resource`,
 * as text or as the `{ url, description, tags }` of v2, or in `url`. Anyone can settle a payment that names a seller's
 * URL with another receiver or price, so the claims are not the seller's.
 */
export function createBazaarDirectory(options: RemoteDirectoryOptions): Directory {
  return createPagedDirectory(options, {
    path: '/discovery/resources',
    query: 'type=http',
    what: 'items',
    items: (page) => readList(page, 'items', 'resources'),
    total: (page) => readNumber(readObject(page, 'pagination') ?? page, 'total'),
    map: mapItem,
  })
}

function mapItem(directory: string, row: Row): ListedRow {
  // MCP tools are listed beside endpoints.
  if (row.type !== undefined && row.type !== 'http') throw new SkippedRowError('not_http')
  const listedUrl = readUrl(row, 'resource', 'url')
  if (listedUrl === undefined) throw new SkippedRowError('malformed')
  const resource = readObject(row, 'resource')
  const { claims, entry } = readClaims(readList(row, 'accepts') ?? [])
  const extension = readObject(readObject(row, 'extensions'), 'bazaar')
  const metadata = readObject(row, 'metadata')
  const [tag] = readList(row, 'tags') ?? readList(resource, 'tags') ?? []
  return toRow({
    directory,
    listedUrl,
    method: readMethod(row, 'method'),
    input: readBazaarInput(extension) ?? readV1Input(entry),
    declaresOutput: hasOutput(extension, entry),
    title:
      readText(row, 'description', 'serviceName') ??
      readText(resource, 'description', 'serviceName') ??
      readText(metadata, 'name', 'description') ??
      readText(entry, 'description'),
    category: readText(metadata, 'category') ?? readText({ tag }, 'tag'),
    claims: { ...claims, calls: readNumber(readObject(row, 'quality'), 'l30DaysTotalCalls') },
    claimedAt: readTime(row, 'lastUpdated'),
    ownClaim: false,
  })
}
