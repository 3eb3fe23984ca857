import type { SettlingChain, SignedTransfer } from '@touchstone402/shared/market'
import type { Time } from './time.ts'

/** Network and token of all payments in a world. */
export const NETWORK = 'eip155:8453'
export const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

/** A transfer that was settled. */
export type Collected = SignedTransfer & {
  readonly amount: bigint
  readonly at: number
  readonly transaction: string
}

/** The true state of the chain, which an RPC endpoint may misreport. */
export type Chain = SettlingChain & {
  /** Settled transfers, by their nonce. */
  readonly collected: ReadonlyMap<string, Collected>
  /** Unix time in seconds at which a nonce was used; null if it was not. */
  usedAt(nonce: string): number | null
}

/** Creates a chain on which wallets have enough. */
export function createChain(time: Time, balance: bigint): Chain {
  const collected = new Map<string, Collected>()
  const now = () => Math.floor(time.now() / 1000)
  return {
    collected,
    now,
    usedAt: (nonce) => collected.get(nonce)?.at ?? null,
    isUsed: (_, nonce) => collected.has(nonce),
    balanceOf: () => balance - [...collected.values()].reduce((sum, one) => sum + one.amount, 0n),
    transfer(transfer, amount) {
      const transaction = `0x${(collected.size + 1).toString(16).padStart(64, '7')}`
      collected.set(transfer.nonce, { ...transfer, amount, at: now(), transaction })
      return transaction
    },
  }
}
