import { setTimeout as wait } from 'node:timers/promises'
import { usdToAtomic } from '@touchstone402/shared'
import type { PublicClient } from 'viem'
import { type ClaimedTransfer, hex, isSettledBy } from './readSettlement.ts'

/** Confirms settlements on chain before their answers are delivered. */
export type Confirmation = {
  /** Returns whether answers of this price are delivered only after the chain showed their settlement. */
  isDue(amountAtomic: string): boolean
  /** Returns whether the chain can be read, so that nobody is charged for an answer that would have to wait for it. */
  isReachable(): Promise<boolean>
  /** Waits until the chain shows a settlement. Returns false if it does not in time. */
  isShown(claim: ClaimedTransfer, txHash: string): Promise<boolean>
}

/** Options of `createConfirmation`. */
export type ConfirmationOptions = {
  chain: Pick<PublicClient, 'getTransactionReceipt' | 'getBlockNumber'>
  /** Whether to confirm `before` or `after` delivery. @default `before` for prices from $0.10 on, `after` below */
  confirm?: 'before' | 'after' | null
  /** Whether the facilitator's word counts until the chain has been read; if not, every answer waits. */
  isTrusted: () => boolean
  /** Maximum wait in ms. @default 20000 */
  waitMs?: number
}

/** Price from which on an answer waits for the chain by default. */
const BEFORE_FROM_ATOMIC = usdToAtomic('0.10')
const POLL_MS = 500

/** Creates the confirmation of settlements before delivery. */
export function createConfirmation(options: ConfirmationOptions): Confirmation {
  const { chain, confirm, isTrusted, waitMs = 20_000 } = options
  return {
    isDue: (amountAtomic) =>
      confirm === 'before' ||
      !isTrusted() ||
      (confirm !== 'after' && BigInt(amountAtomic) >= BEFORE_FROM_ATOMIC),
    isReachable: () =>
      chain.getBlockNumber({ cacheTime: 0 }).then(
        () => true,
        () => false,
      ),
    async isShown(claim, txHash) {
      const until = performance.now() + waitMs
      for (;;) {
        // An unreadable chain is asked again; the reconciliation decides what stays open.
        if (await isSettledBy(claim, hex(txHash), chain).catch(() => false)) return true
        if (performance.now() >= until) return false
        await wait(POLL_MS)
      }
    },
  }
}
