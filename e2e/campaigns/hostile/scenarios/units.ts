import type { Scenario } from '../types.ts'

const unit = 'unit_confusion'
const life = 'authorization_lifetime'
const V1 = [
  { client: '@x402/fetch', wire: 'v1' },
  { client: 'x402-fetch', wire: 'v1' },
] as const
const noNumber = 'both clients refuse amounts that are not integers'
const malformed = 'CHALLENGE_MALFORMED'
const url = ({ origin, count }: { origin: string; count: number }) => `${origin}/weather?call=${count}`

/** Amounts and lifetimes that two readers take for different numbers. */
export const units: readonly Scenario[] = [
  {
    category: unit,
    name: 'The price is nine cents with zeros in front.',
    seller: { terms: [{ amount: '0000090000' }] },
    code: [malformed, 'PRICE_ABOVE_CHECKED'],
  },
  {
    category: unit,
    name: 'The price is in full-width digits.',
    seller: { terms: [{ amount: '\uff11\uff10\uff10\uff10\uff10' }] },
    code: malformed,
    notDrainable: noNumber,
  },
  {
    category: unit,
    name: 'The price is a list with one amount.',
    seller: { terms: [{ amount: ['90000'] }] },
    code: malformed,
  },
  {
    category: unit,
    name: 'The price is binary.',
    seller: { terms: [{ amount: '0b10011100010000' }] },
    code: malformed,
  },
  {
    category: unit,
    name: 'The price is nine cents, with the amount of the other version beside it at one cent.',
    seller: {
      terms: [{ amount: '90000' }],
      write: (json) => json.replaceAll('"maxAmountRequired":', '"amount":"10000","maxAmountRequired":'),
    },
    lanes: V1,
    code: 'PRICE_ABOVE_CHECKED',
  },
  {
    category: unit,
    name: 'The price is said to have eight decimals, so that a dollar looks like a cent.',
    seller: { terms: [{ amount: '1000000', extra: { name: 'USD Coin', version: '2', decimals: 8 } }] },
    code: 'PRICE_ABOVE_CHECKED',
  },
  {
    category: life,
    name: "The authorization's lifetime is ten years from the second call on.",
    seller: { terms: ({ challenges }) => [challenges === 0 ? {} : { maxTimeoutSeconds: 315_360_000 }] },
    url,
    calls: 2,
    approved: 1,
    code: 'AUTHORIZATION_TOO_LONG',
  },
  {
    category: life,
    name: "The authorization's lifetime is in milliseconds.",
    seller: { terms: [{ maxTimeoutSeconds: 60_000 }] },
    code: 'AUTHORIZATION_TOO_LONG',
  },
  {
    category: life,
    name: "The authorization's lifetime is beyond what a number can count.",
    seller: { terms: [{ maxTimeoutSeconds: 1e21 }] },
    code: malformed,
  },
  {
    category: life,
    name: "The authorization's lifetime is a list with one number.",
    seller: { terms: [{ maxTimeoutSeconds: [60] }] },
    code: malformed,
  },
  {
    category: life,
    name: "The authorization's lifetime is dictated as dates of the seller's own.",
    seller: {
      terms: [{ extra: { name: 'USD Coin', version: '2', validBefore: '99999999999', validAfter: '0' } }],
    },
    approved: 1,
    code: null,
    notDrainable: 'both clients count from now',
  },
  {
    category: life,
    name: "The authorization's lifetime is longer than the owner allows, though usual.",
    seller: { terms: [{ maxTimeoutSeconds: 300 }] },
    policy: { maxAuthorizationSeconds: 60 },
    code: 'AUTHORIZATION_TOO_LONG',
  },
]
