/** Addresses by which offers on EVM networks name the network's own coin. Sources: the zero address; ERC-7528. */
const NATIVE_ADDRESSES: ReadonlySet<string> = new Set([`0x${'0'.repeat(40)}`, `0x${'e'.repeat(40)}`])

/** Words by which they do. Sources: offer-receipt extension section 4.2 (`native`); symbols of the coins. */
const NATIVE_WORDS: ReadonlySet<string> = new Set(['native', 'ETH', 'BNB', 'POL', 'MATIC', 'AVAX'])

/** Whether an asset of an EVM network is its own coin, which no scheme transfers by a signature. */
export function isNativeCoin(network: string, asset: string): boolean {
  return network.startsWith('eip155:') && NATIVE_ADDRESSES.has(asset.toLowerCase())
}

/** Whether an asset that is no address is a word for the network's own coin. */
export function isNativeWord(asset: unknown): boolean {
  return typeof asset === 'string' && NATIVE_WORDS.has(asset)
}
