import { termOf } from '../../../support/signingService.ts'
import { approves, at, attack, eachNew, type Scenario } from '../situations.ts'
import { HONEST } from '../world.ts'

const bait = attack('price_bait')
const ghost = attack('ghost_paywall')

const dear = [{ amount: '90000' }]

/** Prices that are not the advertised ones, and paywalls that nothing vouches for. */
export const baits: readonly Scenario[] = [
  bait('The price is high for calls with a query.', 'PRICE_ABOVE_CHECKED', {
    terms: ({ path }) => (path.includes('?') ? dear : [{}]),
    url: at('/weather?city=Oslo'),
  }),
  bait('The price is high for agents.', 'PRICE_ABOVE_CHECKED', {
    terms: ({ request }) => (/node|undici/.test(request.headers['user-agent'] ?? '') ? dear : [{}]),
  }),
  bait('The price is high for POST, which was never probed.', 'VERDICT_THIN', {
    terms: ({ request }) => (request.method === 'POST' ? dear : [{}]),
    init: { method: 'POST', body: '{}' },
  }),
  bait('The price is high after a first call for nothing.', 'PRICE_ABOVE_CHECKED', {
    terms: dear,
    before: ({ path }, response) => path.endsWith('=0') && Boolean(response.end('{"weather":"sunny"}')),
    url: eachNew,
    calls: 2,
  }),
  bait('The price is high for all but the first of five concurrent calls.', 'PRICE_ABOVE_CHECKED', {
    terms: ({ challenges }) => (challenges === 0 ? [{}] : dear),
    url: eachNew,
    ...approves(1, 5),
    atOnce: true,
  }),
  bait('The price is nine cents in the entry and a tenth of a cent in its texts.', 'PRICE_ABOVE_CHECKED', {
    amount: '90000',
    extra: { name: 'USD Coin', version: '2', price: '$0.001', decimals: 8 },
    document: { price: '$0.001', priceUsd: 0.001 },
  }),
  bait('The price is the highest that was ever seen, above the budget of the task.', 'OVER_TASK_LIMIT', {
    terms: dear,
    verdict: { terms: [termOf(HONEST, '90000')] },
    taskUsd: '0.05',
  }),
  ghost('The paywall is listed as safe, and no terms of it were ever seen.', 'TERMS_NOT_CHECKED', {
    terms: dear,
    verdict: { terms: [] },
  }),
  ghost('The paywall is unmeasured, and the owner pays measured ones alone.', 'VERDICT_UNKNOWN', {
    verdict: null,
    policy: { block: ['avoid', 'unknown'] },
  }),
  ghost('The paywall is known to take money and deliver nothing.', 'VERDICT_AVOID', {
    verdict: { verdict: 'avoid', flags: ['no_delivery'], score: 10 },
  }),
  ghost('The paywall hardly ever answers, and the owner asks for a score of 80.', 'SCORE_TOO_LOW', {
    verdict: { score: 41 },
    policy: { minScore: 80 },
  }),
  ghost('The paywall stands before a page that is free for other callers.', 'VERDICT_CAUTION', {
    terms: dear,
    verdict: { verdict: 'caution', flags: ['cloaked'], terms: [termOf(HONEST, '90000')] },
  }),
]
