import { formatUnits, USDC_DECIMALS } from './money.ts'
import { NETWORKS, type Network, toCaip2 } from './networks.ts'
import aliases from './tables/aliases.json' with { type: 'json' }
import officialAssets from './tables/assets.json' with { type: 'json' }
import otherNetworks from './tables/networks.json' with { type: 'json' }

/** A network on which the protocol or an issuer names an asset. */
export type KnownNetwork = Pick<Network, 'caip2' | 'label' | 'testnet'>

/** A token that is official on a network. */
type Asset = {
  network: string
  asset: string
  symbol: string
  /** Null if not known. */
  decimals: number | null
  /** Dollars that one token counts for; null without a fixed value. */
  usd: number | null
}

/** Addresses by which offers on EVM networks name the network's own coin. Sources: the zero address; ERC-7528. */
const NATIVE_ADDRESSES: ReadonlySet<string> = new Set([`0x${'0'.repeat(40)}`, `0x${'e'.repeat(40)}`])
const ALIASES = new Map(Object.entries(aliases))
const KNOWN = new Map<string, KnownNetwork>(
  [...NETWORKS, ...otherNetworks].map((network) => [network.caip2, network]),
)
const BY_LABEL = new Map([...KNOWN.values()].map((network) => [network.label.toLowerCase(), network]))
const ASSETS: readonly Asset[] = [
  ...officialAssets,
  ...NETWORKS.map(({ caip2, usdc }) => {
    return { network: caip2, asset: usdc, symbol: 'USDC', decimals: USDC_DECIMALS, usd: 1 }
  }),
]
const BY_KEY = new Map(ASSETS.map((row) => [keyOf(row.network, row.asset), row]))
const USDC = new Map(
  ASSETS.filter(({ symbol }) => symbol === 'USDC').map(({ network, asset }) => [network, asset]),
)

/** Looks up a known network by its CAIP-2 id or another official id. */
export function findKnownNetwork(id: string): KnownNetwork | undefined {
  return KNOWN.get(ALIASES.get(id) ?? id)
}

/** Looks up a known network by its display name or its name in x402 v1, in any case. */
export function findNetworkByName(name: string): KnownNetwork | undefined {
  const wanted = name.toLowerCase()
  return BY_LABEL.get(wanted) ?? KNOWN.get(toCaip2(wanted, 1) ?? '')
}

/** Returns the canonical USDC of a known network, if it has one. */
export function findUsdc(network: string): string | undefined {
  return USDC.get(ALIASES.get(network) ?? network)
}

/**
 * Whether the protocol's tables or the issuer name an asset on a network, or it is the coin of a known network. Names do
 * not matter, addresses do.
 */
export function isOfficialAsset(network: string, asset: string): boolean {
  return (
    findAsset(network, asset) !== undefined ||
    (isNativeCoin(network, asset) && findKnownNetwork(network) !== undefined)
  )
}

/** Whether a contract is the canonical USDC of a network. */
export function isCanonicalUsdc(network: string, asset: string): boolean {
  return findAsset(network, asset)?.symbol === 'USDC'
}

/**
 * Converts an amount of an official token to a number of dollars by the table, for display and comparison only: budgets
 * count the tokens of their policy. Null for a coin without a fixed value, an unknown token, and unknown decimals.
 */
export function atomicToUsd(network: string, asset: string, amount: bigint): number | null {
  const { decimals = null, usd = null } = findAsset(network, asset) ?? {}
  return decimals === null || usd === null ? null : Number(formatUnits(amount, decimals)) * usd
}

/** Whether the table counts a token for exactly one dollar, so that its amounts can be compared with prices in dollars. */
export function isDollarToken(network: string, asset: string): boolean {
  return findAsset(network, asset)?.usd === 1
}

/** Whether an asset of an EVM network is its own coin, which no scheme transfers by a signature. */
function isNativeCoin(network: string, asset: string): boolean {
  return network.startsWith('eip155:') && NATIVE_ADDRESSES.has(asset.toLowerCase())
}

function findAsset(network: string, asset: string): Asset | undefined {
  return BY_KEY.get(keyOf(ALIASES.get(network) ?? network, asset))
}

/** Hex compares as a number: some networks pad it. Other ids differ by case. */
function keyOf(network: string, asset: string): string {
  const isHex = asset.startsWith('0x')
  return `${network} ${isHex ? asset.toLowerCase().replace(/^0x0+/, '0x') : asset}`
}
