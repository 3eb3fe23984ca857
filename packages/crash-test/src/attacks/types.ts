import type { Seller } from '../sellers/types.ts'
import type { Category } from '../types.ts'

/** One attack: a hostile seller, in words and as it behaves. */
export type Attack = Seller & {
  category: Category
  /** Behavior of the seller. */
  attack: string
  /** Behavior of a careful client. */
  careful: string
  /** When the client counts as drained, without a full stop. */
  drains: string
}
