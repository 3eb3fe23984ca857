import { findNetwork } from '@touchstone402/shared'
import { keccak256, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Entry } from './types.ts'

export const BASE = 'eip155:8453'
export const SEPOLIA = 'eip155:84532'
export const POLYGON = 'eip155:137'
export const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

/** The two client identities of the simulated prober. */
export const CLIENTS = ['touchstone', 'agent'] as const

/** Returns the account of a name. A name always has the same key. */
export const accountOf = (name: string) => privateKeyToAccount(keccak256(toHex(name)))

/** Returns the address of a name. */
export const addressOf = (name: string): string => accountOf(name).address

/** Returns a payment entry in the canonical USDC of a network. */
export function usdcEntry(network: string, payTo: string, amountAtomic: string): Entry {
  const asset = findNetwork(network)?.usdc
  if (asset === undefined) throw new Error(`unknown network ${network}`)
  return { network, asset, payTo, amountAtomic }
}
