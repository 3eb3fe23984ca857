import { createPlainToll } from '../plainToll.ts'
import type { SellerSpec } from '../types.ts'

const DIED_BEFORE_START_MS = 2 * 86_400_000

/** Worked until two days before the start (a day after the fast clock begins). Since then every response is a 500. */
export const dead: SellerSpec = {
  id: 'dead',
  character: 'dead',
  title: 'Stock quotes',
  category: 'data',
  method: 'GET',
  path: '/quotes',
  priceUsd: '0.01',
  receiver: { index: 112, past: 'established' },
  listing: {
    bazaar: { version: 1, updatedDaysAgo: 6 },
    index402: { version: 1, health: 'healthy' },
  },
  expected: { guard: 'refuses', why: 'responds 500 to everything, so there is nothing to pay' },
  create: (context) => {
    const toll = createPlainToll(context, { versions: [1] })
    return {
      handle: (request, response) => {
        if (context.clock.now() < context.startedAt - DIED_BEFORE_START_MS) return toll(request, response)
        response.writeHead(500, { 'content-type': 'text/plain' }).end('Internal Server Error\n')
      },
    }
  },
}
