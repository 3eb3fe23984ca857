import { termOf } from '../../../support/signingService.ts'
import { challenge } from '../openSeller.ts'
import { approves, attack, PENDING, type Scenario } from '../situations.ts'
import { HONEST } from '../world.ts'

const bait = attack('price_bait')
const units = attack('unit_confusion')

const tooDear = 'both clients refuse more than their own limit'
const noNumber = 'both clients refuse amounts that are not integers'

/** Prices above the checked one, prices that rise between requests, and invalid amounts. */
export const amounts: readonly Scenario[] = [
  bait('The price is one unit above the listing.', 'PRICE_ABOVE_CHECKED', { amount: '10001' }),
  bait('The price is ten times the listing.', 'PRICE_ABOVE_CHECKED', { amount: '100000' }),
  bait('The price is rising with each call.', 'PRICE_ABOVE_CHECKED', {
    terms: ({ challenges }) => [{ amount: String(10_000 * (challenges + 1)) }],
    ...approves(1, 3),
  }),
  bait('The price is raised in the response to the payment.', 'OFFER_CHANGED', {
    integrationCodes: PENDING,
    terms: ({ payments }) => [payments === 0 ? {} : { amount: '50000' }],
    onPaid: (call, response) => challenge({}, [{ amount: '50000' }], call, 'both', response),
    verdict: { terms: [termOf(HONEST, '50000')] },
    ...approves(1, 2),
  }),
  bait('The price is high, at an unknown endpoint.', 'VERDICT_UNKNOWN', { amount: '90000', verdict: null }),
  bait('The price is high, with a new receiver.', 'VERDICT_THIN', {
    amount: '90000',
    verdict: { terms: [termOf(HONEST, '90000')], receiverStability: 'new' },
  }),
  bait('The price is high, with few probes.', 'VERDICT_THIN', {
    amount: '90000',
    verdict: { terms: [termOf(HONEST, '90000')], probes: 2 },
  }),
  bait('The price is above the limit for one payment.', 'OVER_PAYMENT_LIMIT', {
    amount: '90000',
    verdict: { terms: [termOf(HONEST, '90000')] },
    policy: { maxPerPaymentUsd: '0.05' },
  }),
  bait('The price is the whole balance of the wallet.', 'OVER_PAYMENT_LIMIT', {
    amount: '10000000000',
    verdict: { terms: [termOf(HONEST, '10000000000')] },
    notDrainable: tooDear,
  }),
  units('The price is a cent with 18 decimals.', 'PRICE_ABOVE_CHECKED', {
    amount: '10000000000000000',
    notDrainable: tooDear,
  }),
  units('The price is the largest uint256.', 'PRICE_ABOVE_CHECKED', {
    amount: String(2n ** 256n - 1n),
    notDrainable: tooDear,
  }),
  units('The price is hexadecimal.', 'CHALLENGE_MALFORMED', { amount: '0x2710' }),
  units('The price is with white space.', 'CHALLENGE_MALFORMED', { amount: ' 10000 ' }),
  units('The price is a number instead of a string.', 'CHALLENGE_MALFORMED', { amount: 10_000 }),
  units('The price is with an exponent.', 'CHALLENGE_MALFORMED', { amount: '1e4', notDrainable: noNumber }),
  units('The price is a fraction.', 'CHALLENGE_MALFORMED', { amount: '10000.5', notDrainable: noNumber }),
  units('The price is negative.', 'CHALLENGE_MALFORMED', {
    amount: '-10000',
    notDrainable: 'no signature can be made for it',
  }),
  units('The price is zero.', 'AMOUNT_INVALID', {
    amount: '0',
    notDrainable: 'a signature for nothing moves nothing',
  }),
]
