import type { Address } from '../types.ts'

/** A token that others may imitate. */
export type WellKnownToken = { readonly symbol: string; readonly address: Address }

const BASE: readonly (WellKnownToken & { readonly source: string })[] = [
  {
    symbol: 'WETH',
    address: '0x4200000000000000000000000000000000000006',
    source: 'https://docs.base.org/specifications/reference/base-contracts',
  },
  {
    symbol: 'EURC',
    address: '0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb42',
    source: 'https://developers.circle.com/stablecoins/eurc-contract-addresses',
  },
  {
    symbol: 'DAI',
    address: '0x50c5725949a6f0c72e6c4a641f24049a917db0cb',
    source: 'https://github.com/ethereum-optimism/ethereum-optimism.github.io/blob/master/data/DAI/data.json',
  },
  {
    symbol: 'USDT',
    address: '0xfde4c96c8593536e31f229ea8f37b2ada2699bb2',
    source:
      'https://github.com/ethereum-optimism/ethereum-optimism.github.io/blob/master/data/USDT/data.json',
  },
]

/** Returns the well-known tokens of a chain, besides USDC, which the caller knows. */
export function wellKnownTokens(chainId: number): readonly WellKnownToken[] {
  return chainId === 8453 ? BASE : []
}
