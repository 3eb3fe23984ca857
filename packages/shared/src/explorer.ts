/** Block explorers by CAIP-2 network. */
const EXPLORERS: Readonly<Record<string, string>> = {
  'eip155:8453': 'https://basescan.org',
  'eip155:84532': 'https://sepolia.basescan.org',
  'eip155:137': 'https://polygonscan.com',
  'eip155:43114': 'https://snowtrace.io',
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'https://solscan.io',
}

/** Returns the page of a block explorer about an address or a transaction; null if the network has no known explorer. */
export function explorerUrl(network: string, kind: 'address' | 'tx', id: string): string | null {
  const base = EXPLORERS[network]
  if (base === undefined) return null
  const path = kind === 'address' && network.startsWith('solana:') ? 'account' : kind
  return `${base}/${path}/${encodeURIComponent(id)}`
}
