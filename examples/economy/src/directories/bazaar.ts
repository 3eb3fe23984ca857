import { nameOf } from '../sellers/nameOf.ts'
import { bazaarExtension, type Offering, usdcTerms, v1Entry, v2Entry } from '../sellers/terms.ts'
import type { BazaarClaims } from '../sellers/types.ts'
import { type DirectoryContext, type Listed, readPage, updatedAt } from './listed.ts'

// Small, so that reading only the first page misses most sellers.
const PAGE = { usual: 5, most: 10 }

/**
 * Serves `GET /discovery/resources?type&limit&offset` in the Bazaar's format: v2 items with CAIP-2 networks and
 * `amount`, v1 items with slug networks, `maxAmountRequired` and `lastUpdated` in unix seconds.
 */
export function listBazaar(context: DirectoryContext, query: URLSearchParams): Record<string, unknown> {
  const type = query.get('type')
  const items =
    type !== null && type !== 'http'
      ? []
      : context.listed.flatMap((listed) =>
          listed.spec.listing.bazaar ? [toItem(context, listed, listed.spec.listing.bazaar)] : [],
        )
  const { limit, offset } = readPage(query, PAGE)
  return {
    x402Version: 2,
    items: items.slice(offset, offset + limit),
    pagination: { limit, offset, total: items.length },
  }
}

function toItem(context: DirectoryContext, listed: Listed, claims: BazaarClaims): Record<string, unknown> {
  const { spec, url } = listed
  const offering: Offering = { url, method: spec.method, title: spec.title }
  const terms = usdcTerms(listed.receiver, claims.priceUsd ?? spec.priceUsd, claims.network)
  const updated = updatedAt(context, claims.updatedDaysAgo ?? 'always')
  const quality = claims.calls && {
    l30DaysTotalCalls: claims.calls.total,
    l30DaysUniquePayers: claims.calls.payers,
    lastCalledAt: new Date(
      updatedAt(context, 'always') - claims.calls.lastDaysAgo * 86_400_000,
    ).toISOString(),
  }
  const common = { resource: url, type: 'http', x402Version: claims.version, ...(quality ? { quality } : {}) }
  if (claims.version === 1) {
    return {
      ...common,
      accepts: [v1Entry(terms, offering)],
      lastUpdated: Math.floor(updated / 1000),
      metadata: { category: spec.category },
    }
  }
  return {
    ...common,
    accepts: [v2Entry(terms)],
    lastUpdated: new Date(updated).toISOString(),
    description: spec.title,
    mimeType: 'application/json',
    serviceName: nameOf(spec),
    tags: [spec.category],
    extensions: { bazaar: bazaarExtension(offering) },
  }
}
