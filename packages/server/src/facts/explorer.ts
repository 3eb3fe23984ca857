import { explorerUrl, type Proof } from '@touchstone402/shared'

/** Returns a proof that links to an address. */
export function addressProof(network: string, address: string, blockNumber: number | null): Proof {
  return { chain: network, address, blockNumber, explorerUrl: urlOf(network, 'address', address) }
}

/** Returns a proof that links to a transaction. */
export function transactionProof(network: string, txHash: string, blockNumber: number | null): Proof {
  return { chain: network, txHash, blockNumber, explorerUrl: urlOf(network, 'tx', txHash) }
}

/** Networks without a known explorer get a CAIP-10 style id in place of a URL. */
const urlOf = (network: string, kind: 'address' | 'tx', id: string): string =>
  explorerUrl(network, kind, id) ?? `caip10:${network}:${id}`
