import type { Proof } from '@touchstone402/shared'

const EXPLORERS: Readonly<Record<string, string>> = {
  'eip155:8453': 'https://basescan.org',
  'eip155:84532': 'https://sepolia.basescan.org',
  'eip155:137': 'https://polygonscan.com',
  'eip155:43114': 'https://snowtrace.io',
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'https://solscan.io',
}

/** Where a person can look an address up; other networks go by their CAIP-2 id. */
export function addressProof(network: string, address: string, blockNumber: number | null): Proof {
  const base = EXPLORERS[network]
  const path = network.startsWith('solana:') ? 'account' : 'address'
  return {
    chain: network,
    address,
    blockNumber,
    explorerUrl:
      base === undefined ? `caip10:${network}:${address}` : `${base}/${path}/${encodeURIComponent(address)}`,
  }
}

/** Where a person can look a transaction up. */
export function transactionProof(network: string, txHash: string, blockNumber: number | null): Proof {
  const base = EXPLORERS[network]
  return {
    chain: network,
    txHash,
    blockNumber,
    explorerUrl:
      base === undefined ? `caip10:${network}:${txHash}` : `${base}/tx/${encodeURIComponent(txHash)}`,
  }
}
