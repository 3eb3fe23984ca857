import { asObject, findNetwork } from '@touchstone402/shared'
import type { Directory, ListedRow } from '../../ports/directory.ts'
import { readList, readMethod, readNumber, readText, readTime } from '../../remote/fields.ts'
import { DirectoryError, type RemoteDirectoryOptions } from '../../remote/readJson.ts'
import { readHealth, readNetwork } from './claims.ts'
import { createPagedDirectory } from './createPagedDirectory.ts'
import { NO_CLAIMS, toRow } from './toRow.ts'

/**
 * Creates the 402index directory: `GET /api/v1/services`. Its rows name no receiver, and its claims are the index's own,
 * not the seller's.
 */
export function createIndex402Directory(options: RemoteDirectoryOptions): Directory {
  return createPagedDirectory(options, {
    path: '/api/v1/services',
    query: 'protocol=x402',
    what: 'services',
    items: (page) => readList(page, 'services'),
    total: (page) => readNumber(page, 'total'),
    map: mapService,
  })
}

function mapService(directory: string, item: unknown): ListedRow | null {
  const row = asObject(item)
  if (row === undefined) throw new DirectoryError('service is not an object')
  // The index lists other payment protocols too.
  if (typeof row.protocol === 'string' && row.protocol.toLowerCase() !== 'x402') return null
  if (typeof row.url !== 'string') throw new DirectoryError('service without a url')
  const network = readNetwork(row, 'payment_network')
  const isUsdc = readText(row, 'payment_asset')?.toUpperCase() === 'USDC'
  return toRow({
    directory,
    listedUrl: row.url,
    method: readMethod(row, 'http_method', 'method'),
    title: readText(row, 'name', 'description'),
    category: readText(row, 'category'),
    claims: {
      ...NO_CLAIMS,
      network,
      asset: isUsdc && network !== null ? (findNetwork(network)?.usdc ?? null) : null,
      priceUsd: readNumber(row, 'price_usd'),
      healthy: readHealth(readText(row, 'health_status'), 'healthy', ['degraded', 'down']),
    },
    claimedAt: readTime(row, 'updated_at', 'registered_at'),
    ownClaim: false,
  })
}
