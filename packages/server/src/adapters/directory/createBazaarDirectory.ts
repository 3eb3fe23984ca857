import { asObject } from '@touchstone402/shared'
import type { Directory, ListedRow } from '../../ports/directory.ts'
import { readList, readNumber, readObject, readText, readTime } from '../../remote/fields.ts'
import { DirectoryError, type RemoteDirectoryOptions } from '../../remote/readJson.ts'
import { readClaims } from './claims.ts'
import { createPagedDirectory } from './createPagedDirectory.ts'
import { hasOutput, readBazaarInput, readV1Input } from './sampleInput.ts'
import { toRow } from './toRow.ts'

/**
 * Creates the directory of an x402 facilitator: `GET /discovery/resources`, v1 and v2 items. Facilitators list the
 * seller's own challenge, so the claims are the seller's.
 */
export function createBazaarDirectory(options: RemoteDirectoryOptions): Directory {
  return createPagedDirectory(options, {
    path: '/discovery/resources',
    query: 'type=http',
    what: 'items',
    items: (page) => readList(page, 'items', 'resources'),
    total: (page) => readNumber(readObject(page, 'pagination'), 'total'),
    map: mapItem,
  })
}

function mapItem(directory: string, item: unknown): ListedRow | null {
  const row = asObject(item)
  if (row === undefined) throw new DirectoryError('item is not an object')
  // MCP tools are listed beside endpoints.
  if (row.type !== undefined && row.type !== 'http') return null
  if (typeof row.resource !== 'string') throw new DirectoryError('item without a resource')
  const { claims, entry } = readClaims(readList(row, 'accepts') ?? [])
  const extension = readObject(readObject(row, 'extensions'), 'bazaar')
  const metadata = readObject(row, 'metadata')
  const [tag] = readList(row, 'tags') ?? []
  return toRow({
    directory,
    listedUrl: row.resource,
    method: null,
    input: readBazaarInput(extension) ?? readV1Input(entry),
    declaresOutput: hasOutput(extension, entry),
    title:
      readText(row, 'description', 'serviceName') ??
      readText(metadata, 'name', 'description') ??
      readText(entry, 'description'),
    category: readText(metadata, 'category') ?? readText({ tag }, 'tag'),
    claims: { ...claims, calls: readNumber(readObject(row, 'quality'), 'l30DaysTotalCalls') },
    claimedAt: readTime(row, 'lastUpdated'),
    ownClaim: true,
  })
}
