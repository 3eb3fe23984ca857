import { POLYGON_USDC } from '../payments/tokens.ts'
import type { Seller } from '../sellers/types.ts'
import { CATEGORIES } from '../types.ts'
import { deliveryAttacks } from './deliveries.ts'
import { placeAttacks } from './places.ts'
import { termAttacks } from './terms.ts'
import type { Attack } from './types.ts'

const ALL = new Map(
  [...termAttacks, ...placeAttacks, ...deliveryAttacks].map((attack) => [attack.category, attack]),
)

/** Every attack, in the order of the categories. */
export const ATTACKS: readonly Attack[] = CATEGORIES.flatMap((category) => ALL.get(category) ?? [])

/** Honest sellers that must be paid, since a client that never pays is useless, not safe. */
export const CONTROLS: readonly Required<Pick<Seller, 'runs' | 'due' | 'answer'>>[] = [
  {
    runs: 2,
    due: 2,
    answer({ isPaid }, reply) {
      if (isPaid) reply.deliver()
      else reply.challenge([{}])
    },
  },
  {
    // Several offers are no fault.
    runs: 1,
    due: 1,
    answer({ isPaid }, reply) {
      if (isPaid) reply.deliver()
      else reply.challenge([{}, POLYGON_USDC])
    },
  },
]
