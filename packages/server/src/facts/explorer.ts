import type { Proof } from '@touchstone402/shared'

const EXPLORERS: Readonly<Record<string, string>> = {
  'eip155:8453': 'https://basescan.org',
  'eip155:84532': 'https://sepolia.basescan.org',
  'eip155:137': 'https://polygonscan.com',
  'eip155:43114': 'https://snowtrace.io',
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'https://solscan.io',
}

/** Returns a proof that links to an address. */
export function addressProof(network: string, address: string, blockNumber: number | null): Proof {
  const path = network.startsWith('solana:') ? 'account' : 'address'
  return { chain: network, address, blockNumber, explorerUrl: explorerUrl(network, path, address) }
}

/** Returns a proof that links to a transaction. */
export function transactionProof(network: string, txHash: string, blockNumber: number | null): Proof {
  return { chain: network, txHash, blockNumber, explorerUrl: explorerUrl(network, 'tx', txHash) }
}

/** Networks without a known explorer get a CAIP-10 style id in place of a URL. */
function explorerUrl(network: string, path: string, id: string): string {
  const base = EXPLORERS[network]
  return base === undefined ? `caip10:${network}:${id}` : `${base}/${path}/${encodeURIComponent(id)}`
}
