// Items of a Bazaar, one of each protocol version.
import { createBazaarDirectory } from '../createBazaarDirectory.ts'
import { NO_PAUSES } from './pace.ts'

export const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
export const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
export const entry = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset: USDC.toLowerCase(),
  payTo: PAY_TO.toLowerCase(),
}

export const v2Item = {
  resource: 'https://API.shop.example/search?lang=en',
  type: 'http',
  x402Version: 2,
  accepts: [{ ...entry, amount: '20000', maxTimeoutSeconds: 60 }],
  lastUpdated: '2026-04-26T18:13:16.000Z',
  description: 'Search\u0000  the  web',
  tags: ['search', 'web'],
  quality: { l30DaysTotalCalls: 84 },
  extensions: {
    bazaar: {
      info: {
        input: {
          type: 'http',
          method: 'POST',
          bodyType: 'json',
          body: { q: 'tea', n: 3 },
          queryParams: { v: 2 },
        },
      },
      schema: {},
    },
  },
}
export const v1Item = {
  resource: 'https://old.example/quote',
  type: 'http',
  x402Version: 1,
  accepts: [
    {
      ...entry,
      network: 'base',
      maxAmountRequired: '10000',
      description: 'A quote',
      outputSchema: { input: { type: 'http', method: 'GET', queryParams: { symbol: 'the ticker' } } },
    },
  ],
  lastUpdated: 1_777_000_000,
  metadata: { category: 'finance' },
}

/** Creates a Bazaar directory for a test server, without pauses. */
export const start = (url: string) =>
  createBazaarDirectory({ name: 'bazaar', url, contact: 'https://touchstone.test', pace: NO_PAUSES })
