import { defineChain } from 'viem'

/**
 * Base as a plain chain: viem's own definition brings the formatters of a rollup, which a local chain does not need
 * and which would show in every client's type.
 */
export const baseChain = defineChain({
  id: 8453,
  name: 'Base (local)',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})
