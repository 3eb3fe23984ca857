import { isHex } from 'viem'
import type { Address, Hex } from '../types.ts'

/** Reads for the look-up of an implementation. */
export type ProxyReads = {
  /** Reads a storage slot of the contract. */
  readonly slot: (slot: Hex) => Promise<unknown>
  /** Calls `implementation()` of a beacon; null if it reverts. */
  readonly beacon: (beacon: Address) => Promise<Hex | null>
}

/** Slots that hold the address of the implementation. */
const IMPLEMENTATION_SLOTS = [
  // ERC-1967
  '360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  // org.zeppelinos.proxy.implementation: USDC, among others
  '7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
  // ERC-1822
  'c5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7',
] as const
/** ERC-1967 slot of a beacon. */
const BEACON_SLOT = 'a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'
/** ERC-1167: a clone that forwards to one fixed address. */
const CLONE = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/i

/** Reads the address in a 32-byte word; null for zero and anything else. */
function addressIn(word: unknown): Address | null {
  if (typeof word !== 'string' || !isHex(word) || word.length !== 66) return null
  const address: Address = `0x${word.slice(26).toLowerCase()}`
  return /[1-9a-f]/.test(address.slice(2)) ? address : null
}

/**
 * Finds the contract that a proxy forwards its calls to; null if it is no known kind of proxy.
 * A proxy names its slot in its code, so any other contract takes no request.
 */
export async function findImplementation(code: unknown, reads: ProxyReads): Promise<Address | null> {
  if (typeof code !== 'string') return null
  const text = code.toLowerCase()
  const clone = CLONE.exec(text)?.[1]
  if (clone !== undefined) return `0x${clone}`
  for (const slot of IMPLEMENTATION_SLOTS) {
    // Upgradeable implementations name the slot as well, but theirs is empty.
    const found = text.includes(slot) ? addressIn(await reads.slot(`0x${slot}`)) : null
    if (found !== null) return found
  }
  const beacon = text.includes(BEACON_SLOT) ? addressIn(await reads.slot(`0x${BEACON_SLOT}`)) : null
  return beacon === null ? null : addressIn(await reads.beacon(beacon))
}
