import { termOf } from '../../../support/signingService.ts'
import type { Scenario } from '../types.ts'
import { HONEST } from '../world.ts'

const bait = 'price_bait'
const ghost = 'ghost_paywall'
const dear = [{ amount: '90000' }]
const url = ({ origin, count }: { origin: string; count: number }) => `${origin}/weather?call=${count}`

/** Prices that are not the advertised ones, and paywalls that nothing vouches for. */
export const baits: readonly Scenario[] = [
  {
    category: bait,
    name: 'The price is high for calls with a query.',
    seller: { terms: ({ path }) => (path.includes('?') ? dear : [{}]) },
    url: ({ origin }) => `${origin}/weather?city=Oslo`,
    code: 'PRICE_ABOVE_CHECKED',
  },
  {
    category: bait,
    name: 'The price is high for agents.',
    seller: {
      terms: ({ request }) => (/node|undici/.test(request.headers['user-agent'] ?? '') ? dear : [{}]),
    },
    code: 'PRICE_ABOVE_CHECKED',
  },
  {
    category: bait,
    name: 'The price is high for POST, which nobody checked.',
    seller: { terms: ({ request }) => (request.method === 'POST' ? dear : [{}]) },
    init: { method: 'POST', body: '{}' },
    code: 'VERDICT_THIN',
    seatCodes: { hooks: ['PRICE_ABOVE_CHECKED', 'VERDICT_THIN'] },
  },
  {
    category: bait,
    name: 'The price is high after a first call for nothing.',
    seller: {
      terms: dear,
      before: ({ path }, response) => path.endsWith('=0') && Boolean(response.end('{"weather":"sunny"}')),
    },
    url,
    calls: 2,
    code: 'PRICE_ABOVE_CHECKED',
  },
  {
    category: bait,
    name: 'The price is high for all but the first of five concurrent calls.',
    seller: { terms: ({ challenges }) => (challenges === 0 ? [{}] : dear) },
    url,
    calls: 5,
    atOnce: true,
    approved: 1,
    code: 'PRICE_ABOVE_CHECKED',
  },
  {
    category: bait,
    name: 'The price is nine cents in the entry and a tenth of a cent in its texts.',
    seller: {
      terms: [{ amount: '90000', extra: { name: 'USD Coin', version: '2', price: '$0.001', decimals: 8 } }],
      document: { price: '$0.001', priceUsd: 0.001 },
    },
    code: 'PRICE_ABOVE_CHECKED',
  },
  {
    category: bait,
    name: 'The price is the highest that was ever seen, above the budget of the task.',
    seller: { terms: dear },
    verdict: { terms: [termOf(HONEST, '90000')] },
    taskUsd: '0.05',
    code: 'OVER_TASK_LIMIT',
  },
  {
    category: ghost,
    name: 'The paywall is listed as safe, and no terms of it were ever seen.',
    seller: { terms: dear },
    verdict: { terms: [] },
    code: 'TERMS_NOT_CHECKED',
  },
  {
    category: ghost,
    name: 'The paywall is one that nobody measured, and the owner pays measured ones alone.',
    seller: {},
    verdict: null,
    policy: { block: ['avoid', 'unknown'] },
    code: 'VERDICT_UNKNOWN',
  },
  {
    category: ghost,
    name: 'The paywall is known to take money and deliver nothing.',
    seller: {},
    verdict: { verdict: 'avoid', flags: ['no_delivery'], score: 10 },
    code: 'VERDICT_AVOID',
  },
  {
    category: ghost,
    name: 'The paywall hardly ever answers, and the owner asks for a score of 80.',
    seller: {},
    verdict: { score: 41 },
    policy: { minScore: 80 },
    code: 'SCORE_TOO_LOW',
  },
  {
    category: ghost,
    name: 'The paywall stands before a page that is free for other callers.',
    seller: { terms: dear },
    verdict: { verdict: 'caution', flags: ['cloaked'], terms: [termOf(HONEST, '90000')] },
    code: 'VERDICT_CAUTION',
  },
]
