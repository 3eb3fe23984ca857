import { readTarget } from '../../http.ts'
import { createPlainToll } from '../plainToll.ts'
import type { SellerSpec } from '../types.ts'

/** Sells normally, and opts out of probes in robots.txt. */
export const optedOut: SellerSpec = {
  id: 'opted-out',
  character: 'opted-out',
  title: 'Postal codes',
  category: 'data',
  method: 'GET',
  path: '/postcodes',
  priceUsd: '0.02',
  receiver: { index: 123, past: 'established' },
  listing: { bazaar: { version: 2, calls: { total: 81, payers: 18, lastDaysAgo: 0 } } },
  expected: {
    guard: 'refuses',
    why: 'without probes its verdict is unknown, and it charges more than a cent',
  },
  create: (context) => {
    const toll = createPlainToll(context)
    return {
      handle: (request, response) => {
        if (readTarget(request).pathname !== '/robots.txt') return toll(request, response)
        response.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: touchstone\nDisallow: /\n')
      },
    }
  },
}
