import { defineChain } from 'viem'

/**
 * Base as a plain chain, without the rollup formatters of viem's definition, which a local chain does not need and
 * which would appear in every client's type.
 */
export const baseChain = defineChain({
  id: 8453,
  name: 'Base (local)',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})
