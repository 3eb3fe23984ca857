import { termOf } from '../../../support/signingService.ts'
import { challenge } from '../openSeller.ts'
import type { Scenario } from '../types.ts'
import { HONEST } from '../world.ts'

const tooDear = 'both clients refuse more than their own limit'
const noNumber = 'both clients refuse amounts that are not integers'

/** Prices above the checked one, prices that rise between requests, and invalid amounts. */
export const amounts: readonly Scenario[] = [
  {
    category: 'price_bait',
    name: 'The price is one unit above the listing.',
    seller: { terms: [{ amount: '10001' }] },
    code: 'PRICE_ABOVE_CHECKED',
  },
  {
    category: 'price_bait',
    name: 'The price is ten times the listing.',
    seller: { terms: [{ amount: '100000' }] },
    code: 'PRICE_ABOVE_CHECKED',
  },
  {
    category: 'price_bait',
    name: 'The price is rising with each call.',
    seller: { terms: ({ challenges }) => [{ amount: String(10_000 * (challenges + 1)) }] },
    calls: 3,
    approved: 1,
    code: 'PRICE_ABOVE_CHECKED',
  },
  {
    category: 'price_bait',
    name: 'The price is raised in the response to the payment.',
    seatCodes: { hooks: 'PAYMENT_PENDING', account: 'PAYMENT_PENDING' },
    seller: {
      terms: ({ payments }) => [payments === 0 ? {} : { amount: '50000' }],
      onPaid: (call, response) => challenge({}, [{ amount: '50000' }], call, 'both', response),
    },
    verdict: { terms: [termOf(HONEST, '50000')] },
    calls: 2,
    approved: 1,
    code: 'OFFER_CHANGED',
  },
  {
    category: 'price_bait',
    name: 'The price is high, at an unknown endpoint.',
    seller: { terms: [{ amount: '90000' }] },
    verdict: null,
    code: 'VERDICT_UNKNOWN',
  },
  {
    category: 'price_bait',
    name: 'The price is high, with a new receiver.',
    seller: { terms: [{ amount: '90000' }] },
    verdict: { terms: [termOf(HONEST, '90000')], receiverStability: 'new' },
    code: 'VERDICT_THIN',
  },
  {
    category: 'price_bait',
    name: 'The price is high, with few probes.',
    seller: { terms: [{ amount: '90000' }] },
    verdict: { terms: [termOf(HONEST, '90000')], probes: 2 },
    code: 'VERDICT_THIN',
  },
  {
    category: 'price_bait',
    name: 'The price is above the limit for one payment.',
    seller: { terms: [{ amount: '90000' }] },
    verdict: { terms: [termOf(HONEST, '90000')] },
    policy: { maxPerPaymentUsd: '0.05' },
    code: 'OVER_PAYMENT_LIMIT',
  },
  {
    category: 'price_bait',
    name: 'The price is the whole balance of the wallet.',
    seller: { terms: [{ amount: '10000000000' }] },
    verdict: { terms: [termOf(HONEST, '10000000000')] },
    code: 'OVER_PAYMENT_LIMIT',
    notDrainable: tooDear,
  },
  {
    category: 'unit_confusion',
    name: 'The price is a cent with 18 decimals.',
    seller: { terms: [{ amount: '10000000000000000' }] },
    code: 'PRICE_ABOVE_CHECKED',
    notDrainable: tooDear,
  },
  {
    category: 'unit_confusion',
    name: 'The price is the largest uint256.',
    seller: { terms: [{ amount: String(2n ** 256n - 1n) }] },
    code: 'PRICE_ABOVE_CHECKED',
    notDrainable: tooDear,
  },
  {
    category: 'unit_confusion',
    name: 'The price is hexadecimal.',
    seller: { terms: [{ amount: '0x2710' }] },
    code: 'CHALLENGE_MALFORMED',
  },
  {
    category: 'unit_confusion',
    name: 'The price is with white space.',
    seller: { terms: [{ amount: ' 10000 ' }] },
    code: 'CHALLENGE_MALFORMED',
  },
  {
    category: 'unit_confusion',
    name: 'The price is a number instead of a string.',
    seller: { terms: [{ amount: 10_000 }] },
    code: 'CHALLENGE_MALFORMED',
  },
  {
    category: 'unit_confusion',
    name: 'The price is with an exponent.',
    seller: { terms: [{ amount: '1e4' }] },
    code: 'CHALLENGE_MALFORMED',
    notDrainable: noNumber,
  },
  {
    category: 'unit_confusion',
    name: 'The price is a fraction.',
    seller: { terms: [{ amount: '10000.5' }] },
    code: 'CHALLENGE_MALFORMED',
    notDrainable: noNumber,
  },
  {
    category: 'unit_confusion',
    name: 'The price is negative.',
    seller: { terms: [{ amount: '-10000' }] },
    code: 'CHALLENGE_MALFORMED',
    notDrainable: 'no signature can be made for it',
  },
  {
    category: 'unit_confusion',
    name: 'The price is zero.',
    seller: { terms: [{ amount: '0' }] },
    code: 'AMOUNT_INVALID',
    notDrainable: 'a signature for nothing moves nothing',
  },
]
