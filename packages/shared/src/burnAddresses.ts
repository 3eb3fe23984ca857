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
