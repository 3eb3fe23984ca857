import { formatUnits, USDC_DECIMALS } from './money.ts'
import { isNativeCoin } from './nativeCoins.ts'
import { NETWORKS, toCaip2 } from './networks.ts'
import { OFFICIAL_ASSETS } from './tables/assets.ts'
import { NETWORK_ALIASES, OTHER_NETWORKS } from './tables/networks.ts'

/** A network on which the protocol or an issuer names an asset. */
export type KnownNetwork = {
  /** CAIP-2, with the references seen in the field. */
  caip2: string
  /** Display name. */
  label: string
  testnet: boolean
}

const ALIASES = new Map(NETWORK_ALIASES)
const KNOWN = new Map<string, KnownNetwork>([
  ...NETWORKS.map((network) => [network.caip2, network] as const),
  ...OTHER_NETWORKS.map(
    ([caip2, label, kind]) => [caip2, { caip2, label, testnet: kind === 'test' }] as const,
  ),
])
const BY_LABEL = new Map([...KNOWN.values()].map((network) => [network.label.toLowerCase(), network]))
const USDC = new Map([
  ...OFFICIAL_ASSETS.filter(([, , symbol]) => symbol === 'USDC').map(
    ([network, asset]) => [network, asset] as const,
  ),
  ...NETWORKS.map(({ caip2, usdc }) => [caip2, usdc] as const),
])

type Asset = { symbol: string; decimals: number | null; usd: number | null }

const ASSETS = new Map<string, Asset>([
  ...NETWORKS.map(
    ({ caip2, usdc }) => [keyOf(caip2, usdc), { symbol: 'USDC', decimals: USDC_DECIMALS, usd: 1 }] as const,
  ),
  ...OFFICIAL_ASSETS.map(
    ([network, asset, symbol, , decimals, usd]) =>
      [keyOf(network, asset), { symbol, decimals, usd }] as const,
  ),
])

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

function findAsset(network: string, asset: string): Asset | undefined {
  return ASSETS.get(keyOf(ALIASES.get(network) ?? network, asset))
}

/** Hex compares as a number: some networks pad it. Other ids differ by case. */
function keyOf(network: string, asset: string): string {
  const isHex = asset.startsWith('0x')
  return `${network} ${isHex ? asset.toLowerCase().replace(/^0x0+/, '0x') : asset}`
}
