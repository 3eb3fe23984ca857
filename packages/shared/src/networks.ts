import usdcNetworks from './tables/usdcNetworks.json' with { type: 'json' }
import v1Names from './tables/v1Names.json' with { type: 'json' }

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
  usdcName: string
}

/** Circle's USDC on Base. */
export const BASE_USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

/** Networks that the guard and the service are paid on in USDC by transfer authorization, and Solana. */
export const NETWORKS: readonly Network[] = usdcNetworks

/** The network that the service is paid on. */
export const BASE = 'eip155:8453'

// The references of CAIP-2, and those seen in the field: the official id of Algorand is base64 of 44 characters.
const CAIP2_PATTERN = /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9=+/]{1,64}$/
const V1_NAME_PATTERN = /^[a-zA-Z][-_a-zA-Z0-9]{0,31}$/
const BY_CAIP2 = new Map(NETWORKS.map((network) => [network.caip2, network]))
const BY_NAME = new Map([
  ...NETWORKS.map(({ v1Name, caip2 }) => [v1Name, caip2] as const),
  ...Object.entries(v1Names),
])

/** Looks up a network of {@link NETWORKS} by CAIP-2 id. */
export function findNetwork(caip2: string): Network | undefined {
  return BY_CAIP2.get(caip2)
}

/**
 * Returns the CAIP-2 id of a network that a challenge names, or undefined if the name is not valid.
 * x402 v1 uses names, v2 uses CAIP-2 ids; neither accepts the form of the other.
 * A v1 name that no table has is returned as it is: its network is unknown, not invalid.
 */
export function toCaip2(declared: string, x402Version: 1 | 2): string | undefined {
  if (x402Version === 2) return CAIP2_PATTERN.test(declared) ? declared : undefined
  return BY_NAME.get(declared) ?? (V1_NAME_PATTERN.test(declared) ? declared : undefined)
}

/**
 * Returns the CAIP-2 id of a network that a lenient client takes a value for: a name of either version, in any case, or the
 * id of an EVM chain with leading zeros; undefined if it is none.
 */
export function readNetworkName(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  const [, digits] = /^eip155:0*([1-9]\d{0,17})$/i.exec(text) ?? []
  if (digits !== undefined) return `eip155:${digits}`
  return BY_NAME.get(text.toLowerCase()) ?? toCaip2(text, 2) ?? toCaip2(text, 1)
}

/** An EVM address, any case: 0x and 40 hex digits. */
export const ADDRESS_PATTERN = /^0x[0-9a-fA-F]{40}$/

/** An account of another network. Those of Canton and Cardano are the longest that a specification names. */
export const ACCOUNT_PATTERN = /^[-\w.:/+=]{1,192}$/

/** Whether two addresses are equal. Hex addresses compare case-insensitively. */
export function sameAddress(a: string, b: string): boolean {
  return a === b || (a.startsWith('0x') && a.toLowerCase() === b.toLowerCase())
}

/** Returns the map key of an address on a network: `network address`, in lower case. */
export function networkAddressKey(network: string, address: string): string {
  return `${network} ${address}`.toLowerCase()
}

/** Addresses without a known key: tokens sent there are lost. Lower case. */
export const BURN_ADDRESSES: ReadonlySet<string> = new Set([
  '0x0000000000000000000000000000000000000000',
  '0x0000000000000000000000000000000000000001',
  '0x000000000000000000000000000000000000dead',
  '0xdead000000000000000042069420694206942069',
  '0xffffffffffffffffffffffffffffffffffffffff',
])

/** Whether an address is the zero address or a known burn address. */
export function isBurnAddress(address: string): boolean {
  return BURN_ADDRESSES.has(address.toLowerCase())
}
