import { createHash } from 'node:crypto'
import { nameOf } from '../sellers/nameOf.ts'
import type { Index402Claims } from '../sellers/types.ts'
import { type DirectoryContext, type Listed, readPage, updatedAt } from './listed.ts'

const PAGE = { usual: 4, most: 8 }

/**
 * Serves `GET /api/v1/services?protocol&limit&offset` in the 402 index's format. Its rows name no receiver, which is
 * only in the challenge.
 */
export function listIndex402(context: DirectoryContext, query: URLSearchParams): Record<string, unknown> {
  const protocol = query.get('protocol')
  const rows =
    protocol !== null && protocol.toLowerCase() !== 'x402'
      ? []
      : context.listed.flatMap((listed) =>
          listed.spec.listing.index402 ? [toRow(context, listed, listed.spec.listing.index402)] : [],
        )
  const { limit, offset } = readPage(query, PAGE)
  return { services: rows.slice(offset, offset + limit), total: rows.length, limit, offset }
}

function toRow(context: DirectoryContext, listed: Listed, claims: Index402Claims): Record<string, unknown> {
  const { spec, url } = listed
  const healthy = (claims.health ?? 'healthy') === 'healthy'
  return {
    id: toUuid(spec.id),
    name: spec.title,
    description: `${spec.title}, paid by the call`,
    url,
    protocol: 'x402',
    price_usd: Number(claims.priceUsd ?? spec.priceUsd),
    price_sats: null,
    payment_asset: 'USDC',
    payment_network: claims.network === 'base-sepolia' ? 'Base Sepolia' : 'Base',
    x402_version: claims.version,
    category: spec.category,
    provider: nameOf(spec),
    source: 'self-registered',
    health_status: claims.health ?? 'healthy',
    uptime_30d: healthy ? 99.9 : 42,
    latency_p50_ms: 40,
    reliability_score: healthy ? 95 : 20,
    last_checked: new Date(updatedAt(context, 'always')).toISOString(),
    ...(claims.withMethod === false ? {} : { http_method: spec.method }),
  }
}

// A seller has the same id on every start.
function toUuid(id: string): string {
  const hex = createHash('sha256').update(`402index ${id}`).digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
