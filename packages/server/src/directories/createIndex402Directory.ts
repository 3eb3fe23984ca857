import { findUsdc } from '@touchstone402/shared'
import type { ListedRow } from '../facts/facts.ts'
import { NO_CLAIMS } from '../facts/facts.ts'
import { type Row, readList, readMethod, readNumber, readText, readTime, readUrl } from '../lib/fields.ts'
import type { RemoteDirectoryOptions } from '../lib/readJson.ts'
import { isUsdcName, readHealth, readNetwork } from './claims.ts'
import { createPagedDirectory } from './createPagedDirectory.ts'
import type { Directory } from './directory.ts'
import { SkippedRowError, toRow } from './toRow.ts'

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

function mapService(directory: string, row: Row): ListedRow {
  const listedUrl = readUrl(row, 'url', 'resource')
  if (listedUrl === undefined) throw new SkippedRowError('malformed')
  const network = readNetwork(row, 'payment_network')
  const isUsdc = isUsdcName(readText(row, 'payment_asset'))
  return toRow({
    directory,
    listedUrl,
    method: readMethod(row, 'http_method', 'method'),
    title: readText(row, 'name', 'description'),
    category: readText(row, 'category'),
    claims: {
      ...NO_CLAIMS,
      network,
      asset: isUsdc && network !== null ? (findUsdc(network) ?? null) : null,
      priceUsd: readNumber(row, 'price_usd'),
      healthy: readHealth(readText(row, 'health_status'), 'healthy', ['degraded', 'down']),
    },
    claimedAt: readTime(row, 'updated_at', 'registered_at'),
    ownClaim: false,
  })
}
