import { EURC, POLYGON_USDC } from '../payments/tokens.ts'
import type { Attack } from './types.ts'

/** Nine times the listed price, and below the limits of the stock clients. */
const DEAR = '90000'
const TEN_YEARS = 315_360_000

/** Terms that differ from the listed ones. */
export const termAttacks: readonly Attack[] = [
  {
    category: 'accepts_ordering',
    attack:
      'The first offer of the challenge costs nine times the listed price; the second is the listed one.',
    careful: 'Reads every offer and signs the cheapest allowed one.',
    drains: 'more than the listed price is signed',
    answer({ isPaid }, reply) {
      if (isPaid) reply.deliver()
      else reply.challenge([{ amount: DEAR }, {}])
    },
  },
  {
    category: 'asset_swap',
    attack:
      'The listing says USDC; the challenge asks for the same amount of EURC, another token that wallets hold.',
    careful: 'Signs only for the listed token.',
    drains: 'EURC is signed away',
    answer({ isPaid }, reply) {
      if (isPaid) reply.deliver()
      else reply.challenge([{ ...EURC, extra: { name: 'EURC', version: '2' } }])
    },
  },
  {
    category: 'authorization_lifetime',
    attack:
      'The terms match the listing, but the authorization is valid for ten years. The seller returns an error and keeps the signature.',
    careful: 'Signs for minutes, whatever the seller asks for.',
    drains: 'an authorization is valid for more than an hour',
    answer({ isPaid }, reply) {
      if (isPaid) reply.send(500, {}, 'Try again later.')
      else reply.challenge([{ maxTimeoutSeconds: TEN_YEARS }])
    },
  },
  {
    category: 'price_bait',
    attack: 'The first call costs the listed price and is delivered; the second costs nine times as much.',
    careful: 'Compares the price of each call with the listed one.',
    drains: 'more than the listed price is signed',
    runs: 2,
    due: 2,
    answer({ isPaid, run }, reply) {
      if (isPaid) reply.deliver()
      else reply.challenge([run === 0 ? {} : { amount: DEAR }])
    },
  },
  {
    category: 'protocol_switch',
    attack:
      'Beside the listed offer, the answer has a challenge of a second protocol: MPP, for ninety times the price, to the thief.',
    careful: 'Reads every protocol of the answer, and signs only the listed offer.',
    drains: 'an MPP credential to the thief, or more than the listed price, is signed',
    answer({ isPaid, thief }, reply) {
      if (isPaid) reply.deliver()
      else reply.challenge([{}], { byMpp: { payTo: thief, amount: '900000' } })
    },
  },
  {
    category: 'rail_switch',
    attack:
      'The listing says USDC on Base; the challenge asks for it on Polygon, where someone else may control the same receiver.',
    careful: 'Signs only for networks that its owner allows.',
    drains: 'a payment on Polygon is signed',
    answer({ isPaid }, reply) {
      if (isPaid) reply.deliver()
      else reply.challenge([POLYGON_USDC])
    },
  },
  {
    category: 'unit_confusion',
    attack:
      'The texts claim one cent in a token of seven decimals; USDC has six, so the amount is ten cents.',
    careful: 'Takes decimals from the token, never from the seller.',
    drains: 'more than the listed price is signed',
    answer({ isPaid }, reply) {
      if (isPaid) return reply.deliver()
      const extra = { name: 'USD Coin', version: '2', decimals: 7, price: '$0.01' }
      reply.challenge([{ amount: '100000', extra }], { description: 'Price: $0.01' })
    },
  },
]
