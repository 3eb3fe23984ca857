import { findNetwork } from '@touchstone402/shared'
import { keccak256, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Entry } from './types.ts'

export const BASE = 'eip155:8453'
export const SEPOLIA = 'eip155:84532'
export const POLYGON = 'eip155:137'
export const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

/** The two identities of the simulated prober. */
export const CLIENTS = ['touchstone', 'agent'] as const

/** The account of a name: the same name always holds the same key. */
export const accountOf = (name: string) => privateKeyToAccount(keccak256(toHex(name)))

/** The address of a name. */
export const addressOf = (name: string): string => accountOf(name).address

/** A payment entry in the canonical USDC of a network. */
export function usdcEntry(network: string, payTo: string, amountAtomic: string): Entry {
  const asset = findNetwork(network)?.usdc
  if (asset === undefined) throw new Error(`unknown network ${network}`)
  return { network, asset, payTo, amountAtomic }
}
