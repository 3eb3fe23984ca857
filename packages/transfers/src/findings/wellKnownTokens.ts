import type { Address } from '../types.ts'
import list from './baseTokens.json' with { type: 'json' }

/** A token that others may imitate. */
export type WellKnownToken = {
  readonly address: Address
  readonly symbol: string
  /** Names by which it is known. */
  readonly names: readonly string[]
}

/** Returns the well-known tokens of a chain: on Base the 200 largest, and those of a curated list. */
export function wellKnownTokens(chainId: number): readonly WellKnownToken[] {
  if (chainId !== list.chainId) return []
  return list.tokens.map(([address = '', symbol = '', ...names]) => ({
    address: address as Address,
    symbol,
    names,
  }))
}
