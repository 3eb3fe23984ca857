import { termOf } from '../../../support/signingService.ts'
import { challenge } from '../openSeller.ts'
import type { Scenario } from '../types.ts'
import { HONEST } from '../world.ts'

const row = 'price'
const tooDear = 'both clients refuse more than their own limit'
const noNumber = 'both clients refuse amounts that are not integers'

/** Prices above the checked one, prices that rise between requests, and invalid amounts. */
export const amounts: readonly Scenario[] = [
  {
    row,
    name: 'one unit above the listing',
    seller: { terms: [{ amount: '10001' }] },
    code: 'PRICE_ABOVE_CHECKED',
  },
  {
    row,
    name: 'ten times the listing',
    seller: { terms: [{ amount: '100000' }] },
    code: 'PRICE_ABOVE_CHECKED',
  },
  {
    row,
    name: 'rising with each call',
    seller: { terms: ({ challenges }) => [{ amount: String(10_000 * (challenges + 1)) }] },
    calls: 3,
    approved: 1,
    code: 'PRICE_ABOVE_CHECKED',
  },
  {
    row,
    name: 'raised in the response to the payment',
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
    row,
    name: 'high, at an unknown endpoint',
    seller: { terms: [{ amount: '90000' }] },
    verdict: null,
    code: 'VERDICT_UNKNOWN',
  },
  {
    row,
    name: 'high, with a new receiver',
    seller: { terms: [{ amount: '90000' }] },
    verdict: { terms: [termOf(HONEST, '90000')], receiverStability: 'new' },
    code: 'VERDICT_THIN',
  },
  {
    row,
    name: 'high, with few probes',
    seller: { terms: [{ amount: '90000' }] },
    verdict: { terms: [termOf(HONEST, '90000')], probes: 2 },
    code: 'VERDICT_THIN',
  },
  {
    row,
    name: 'above the limit for one payment',
    seller: { terms: [{ amount: '90000' }] },
    verdict: { terms: [termOf(HONEST, '90000')] },
    policy: { maxPerPaymentUsd: '0.05' },
    code: 'OVER_PAYMENT_LIMIT',
  },
  {
    row,
    name: 'the whole balance of the wallet',
    seller: { terms: [{ amount: '10000000000' }] },
    verdict: { terms: [termOf(HONEST, '10000000000')] },
    code: 'OVER_PAYMENT_LIMIT',
    notDrainable: tooDear,
  },
  {
    row,
    name: 'a cent with 18 decimals',
    seller: { terms: [{ amount: '10000000000000000' }] },
    code: 'PRICE_ABOVE_CHECKED',
    notDrainable: tooDear,
  },
  {
    row,
    name: 'the largest uint256',
    seller: { terms: [{ amount: String(2n ** 256n - 1n) }] },
    code: 'PRICE_ABOVE_CHECKED',
    notDrainable: tooDear,
  },
  { row, name: 'hexadecimal', seller: { terms: [{ amount: '0x2710' }] }, code: 'CHALLENGE_MALFORMED' },
  { row, name: 'with white space', seller: { terms: [{ amount: ' 10000 ' }] }, code: 'CHALLENGE_MALFORMED' },
  {
    row,
    name: 'a number instead of a string',
    seller: { terms: [{ amount: 10_000 }] },
    code: 'CHALLENGE_MALFORMED',
  },
  {
    row,
    name: 'with an exponent',
    seller: { terms: [{ amount: '1e4' }] },
    code: 'CHALLENGE_MALFORMED',
    notDrainable: noNumber,
  },
  {
    row,
    name: 'a fraction',
    seller: { terms: [{ amount: '10000.5' }] },
    code: 'CHALLENGE_MALFORMED',
    notDrainable: noNumber,
  },
  {
    row,
    name: 'negative',
    seller: { terms: [{ amount: '-10000' }] },
    code: 'CHALLENGE_MALFORMED',
    notDrainable: 'no signature can be made for it',
  },
  {
    row,
    name: 'zero',
    seller: { terms: [{ amount: '0' }] },
    code: 'AMOUNT_INVALID',
    notDrainable: 'a signature for nothing moves nothing',
  },
]
