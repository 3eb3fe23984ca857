/** A network that x402 settles on. */
export type Network = {
  /** CAIP-2, such as `eip155:8453`. */
  caip2: string
  /** Name in x402 v1, such as `base`. */
  v1Name: string
  /** Display name. */
  label: string
  testnet: boolean
  /** Contract address of Circle's USDC. */
  usdc: string
  /** EIP-712 domain name of the contract. Its version is 2 on every network. */
  usdcName: 'USD Coin' | 'USDC'
}

/** Circle's USDC on Base. */
export const BASE_USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

/** All known networks. Source: Circle's list of USDC contract addresses; x402 v1 for the names. */
export const NETWORKS: readonly Network[] = [
  {
    caip2: 'eip155:8453',
    v1Name: 'base',
    label: 'Base',
    testnet: false,
    usdc: BASE_USDC,
    usdcName: 'USD Coin',
  },
  {
    caip2: 'eip155:84532',
    v1Name: 'base-sepolia',
    label: 'Base Sepolia',
    testnet: true,
    usdc: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    usdcName: 'USDC',
  },
  {
    caip2: 'eip155:43114',
    v1Name: 'avalanche',
    label: 'Avalanche',
    testnet: false,
    usdc: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
    usdcName: 'USD Coin',
  },
  {
    caip2: 'eip155:43113',
    v1Name: 'avalanche-fuji',
    label: 'Avalanche Fuji',
    testnet: true,
    usdc: '0x5425890298aed601595a70AB815c96711a31Bc65',
    usdcName: 'USD Coin',
  },
  {
    caip2: 'eip155:137',
    v1Name: 'polygon',
    label: 'Polygon',
    testnet: false,
    usdc: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    usdcName: 'USD Coin',
  },
  {
    caip2: 'eip155:80002',
    v1Name: 'polygon-amoy',
    label: 'Polygon Amoy',
    testnet: true,
    usdc: '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582',
    usdcName: 'USDC',
  },
  {
    caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    v1Name: 'solana',
    label: 'Solana',
    testnet: false,
    usdc: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    usdcName: 'USDC',
  },
  {
    caip2: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    v1Name: 'solana-devnet',
    label: 'Solana Devnet',
    testnet: true,
    usdc: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
    usdcName: 'USDC',
  },
]

/** The network that the service is paid on. */
export const BASE = 'eip155:8453'

const CAIP2_PATTERN = /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/
const BY_CAIP2 = new Map(NETWORKS.map((network) => [network.caip2, network]))
const BY_NAME = new Map(NETWORKS.map((network) => [network.v1Name, network]))

/** Looks up a network by CAIP-2 id. */
export function findNetwork(caip2: string): Network | undefined {
  return BY_CAIP2.get(caip2)
}

/**
 * Returns the CAIP-2 id of a network that a challenge names, or undefined if the name is not valid.
 * x402 v1 uses names, v2 uses CAIP-2 ids; neither accepts the form of the other.
 */
export function toCaip2(declared: string, x402Version: 1 | 2): string | undefined {
  if (x402Version === 1) return BY_NAME.get(declared)?.caip2
  return CAIP2_PATTERN.test(declared) ? declared : undefined
}

/** Whether two addresses are equal. Hex addresses compare case-insensitively. */
export function sameAddress(a: string, b: string): boolean {
  return a === b || (a.startsWith('0x') && a.toLowerCase() === b.toLowerCase())
}

/** Whether a contract is the canonical USDC of a network. */
export function isCanonicalUsdc(caip2: string, asset: string): boolean {
  const network = BY_CAIP2.get(caip2)
  return network !== undefined && sameAddress(network.usdc, asset)
}

/** Returns the map key of an address on a network: `network address`, in lower case. */
export function networkAddressKey(network: string, address: string): string {
  return `${network} ${address}`.toLowerCase()
}
