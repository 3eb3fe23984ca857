/** Addresses by which offers on EVM networks name the network's own coin. Sources: the zero address; ERC-7528. */
const NATIVE_ADDRESSES: ReadonlySet<string> = new Set([`0x${'0'.repeat(40)}`, `0x${'e'.repeat(40)}`])

/** Whether an asset of an EVM network is its own coin, which no scheme transfers by a signature. */
export function isNativeCoin(network: string, asset: string): boolean {
  return network.startsWith('eip155:') && NATIVE_ADDRESSES.has(asset.toLowerCase())
}
