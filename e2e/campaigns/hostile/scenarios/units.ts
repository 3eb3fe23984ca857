import { approves, attack, eachNew, type Scenario, V1 } from '../situations.ts'

const unit = attack('unit_confusion')
const lifetime = attack('authorization_lifetime')

const noNumber = 'both clients refuse amounts that are not integers'
const malformed = 'CHALLENGE_MALFORMED'

/** Amounts and lifetimes that two readers take for different numbers. */
export const units: readonly Scenario[] = [
  unit('The price is nine cents with zeros in front.', [malformed, 'PRICE_ABOVE_CHECKED'], {
    amount: '0000090000',
  }),
  unit('The price is in full-width digits.', malformed, {
    amount: '\uff11\uff10\uff10\uff10\uff10',
    notDrainable: noNumber,
  }),
  unit('The price is a list with one amount.', malformed, { amount: ['90000'] }),
  unit('The price is binary.', malformed, { amount: '0b10011100010000' }),
  unit(
    'The price is nine cents, with the amount of the other version beside it at one cent.',
    'PRICE_ABOVE_CHECKED',
    {
      amount: '90000',
      write: (json) => json.replaceAll('"maxAmountRequired":', '"amount":"10000","maxAmountRequired":'),
      lanes: V1,
    },
  ),
  unit('The price claims eight decimals, so that a dollar looks like a cent.', 'PRICE_ABOVE_CHECKED', {
    amount: '1000000',
    extra: { name: 'USD Coin', version: '2', decimals: 8 },
  }),
  lifetime("The authorization's lifetime is ten years from the second call on.", 'AUTHORIZATION_TOO_LONG', {
    terms: ({ challenges }) => [challenges === 0 ? {} : { maxTimeoutSeconds: 315_360_000 }],
    url: eachNew,
    ...approves(1, 2),
  }),
  lifetime("The authorization's lifetime is in milliseconds.", 'AUTHORIZATION_TOO_LONG', {
    maxTimeoutSeconds: 60_000,
  }),
  lifetime("The authorization's lifetime is beyond what a number can count.", malformed, {
    maxTimeoutSeconds: 1e21,
  }),
  lifetime("The authorization's lifetime is a list with one number.", malformed, { maxTimeoutSeconds: [60] }),
  lifetime("The authorization's lifetime is dictated as dates of the seller's own.", null, {
    extra: { name: 'USD Coin', version: '2', validBefore: '99999999999', validAfter: '0' },
    approved: 1,
    notDrainable: 'both clients count from now',
  }),
  lifetime(
    "The authorization's lifetime is longer than the owner allows, though usual.",
    'AUTHORIZATION_TOO_LONG',
    { maxTimeoutSeconds: 300, policy: { maxAuthorizationSeconds: 60 } },
  ),
]
