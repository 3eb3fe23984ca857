import { createClients } from '@touchstone402/server/testing'
import { findNetwork } from '@touchstone402/shared'
import { keccak256, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Entry } from './types.ts'

/** Unix time of day 0, in ms. */
export const START = Date.UTC(2026, 0, 5)
export const BASE = 'eip155:8453'
export const SEPOLIA = 'eip155:84532'
export const POLYGON = 'eip155:137'
export const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
export const SOLANA_SELLER = '7EYnhQoR9YM3N7UoaKRoA44Uy8JeaZV3qyouov87awMs'
/** Another account on Solana, of no seller. */
export const SOLANA_THIEF = '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4'
/** Fee payer of a public facilitator, which every exact payment on Solana names. */
const SOLANA_FEE_PAYER = 'BENrLoUbndxoNMUS5JXApGMtNykLjFXXixMtpDwDR9SP'

/** The identities of the service's prober. */
export const CLIENTS = createClients('https://touchstone.test/prober')

const accounts = new Map<string, ReturnType<typeof privateKeyToAccount>>()

/** Returns the account of a name. A name always has the same key. */
export function accountOf(name: string) {
  const account = accounts.get(name) ?? privateKeyToAccount(keccak256(toHex(name)))
  accounts.set(name, account)
  return account
}

/** Returns the address of a name. */
export const addressOf = (name: string): string => accountOf(name).address

/** Returns an address without a known key; faster than deriving one from a name. */
export const depositAddress = (number: number): string =>
  toHex(0x5eed_0000_0000n + BigInt(number), { size: 20 })

/** Returns a payment entry in the canonical USDC of a network. */
export function usdcEntry(network: string, payTo: string, amountAtomic: string): Entry {
  const known = findNetwork(network)
  if (known === undefined) throw new Error(`unknown network ${network}`)
  const { usdc: asset, usdcName } = known
  const extra = network === SOLANA ? { feePayer: SOLANA_FEE_PAYER } : { name: usdcName, version: '2' }
  return { network, asset, payTo, amountAtomic, extra }
}
