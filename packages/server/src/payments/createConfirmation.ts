import { setTimeout as wait } from 'node:timers/promises'
import { usdToAtomic } from '@touchstone402/shared'
import type { Hex } from 'viem'
import { findUse, type Head, isSettlement, type UsableClaim, type Use, type UseReader } from './findUse.ts'
import type { PaymentContext } from './paymentContext.ts'
import { type ClaimedTransfer, hex, isSettledBy } from './readSettlement.ts'

/** Reads on chain whether payments are settled, before their calls are answered. */
export type Confirmation = {
  /** Returns whether answers of this price are delivered only after the chain showed their settlement. */
  isDue(amountAtomic: string): boolean
  /**
   * Resolves if the chain can be read and advances, so that no client pays for an answer that would have to wait for it.
   * @throws Error if its latest block is not read in time or is old
   */
  reach(): Promise<void>
  /** Waits until the chain shows a settlement. Returns false if it does not in time. */
  isShown(claim: ClaimedTransfer, txHash: string): Promise<boolean>
  /**
   * Looks for the settlement of a payment that the facilitator did not confirm, for a few blocks.
   * @returns its transaction; `unused` if blocks of after the settlement show none; `unread` if there are none in time
   */
  search(claim: UsableClaim): Promise<Hex | 'unused' | 'unread'>
  /** Looks once for the settlement of a payment. Returns its transaction, or undefined if there is none to see at once. */
  peek(claim: UsableClaim): Promise<Hex | undefined>
}

/** Options of `createConfirmation`. */
export type ConfirmationOptions = {
  chain: UseReader
  /** Whether the facilitator's word counts until the chain has been read; if not, every answer waits. */
  isTrusted: () => boolean
  /** Maximum wait for a settlement in ms. */
  waitMs: number
  /** Maximum wait for the latest block in ms. */
  reachMs: number
  /** Maximum wait for a settlement that the facilitator did not confirm, in ms. */
  searchMs: number
}

/** Maximum waits of the service. */
export const CONFIRMATION_LIMITS = {
  waitMs: 20_000,
  reachMs: 3000,
  searchMs: 10_000,
}

/** Price from which on an answer waits for the chain by default. */
const BEFORE_FROM_ATOMIC = usdToAtomic('0.10')
const POLL_MS = 500
/** Blocks after which a settlement that the facilitator did not confirm would be on chain. */
const SEARCH_BLOCKS = 2n
/** Maximum time of one look for an earlier payment in ms: the call waits. */
const PEEK_MS = 1000
/** Age of the latest block from which on a node is stuck or far behind. */
export const STALE_BLOCK_MS = 60_000

/** Creates the confirmation of settlements before delivery, at the prices that `CONFIRM_SETTLEMENTS` names. */
export function createConfirmation(
  { config, now }: Pick<PaymentContext, 'config' | 'now'>,
  { chain, isTrusted, waitMs, reachMs, searchMs }: ConfirmationOptions,
): Confirmation {
  const { confirmSettlements: confirm } = config
  const readUse = async (claim: UsableClaim): Promise<{ head: Head; use: Use }> => {
    const head = await chain.getBlock({ blockTag: 'latest' })
    const { use } = await findUse(chain, claim, head, now())
    return { head, use }
  }
  return {
    isDue: (amountAtomic) =>
      confirm === 'before' ||
      !isTrusted() ||
      (confirm !== 'after' && BigInt(amountAtomic) >= BEFORE_FROM_ATOMIC),
    async reach() {
      const { timestamp } = await within(reachMs, chain.getBlock({ blockTag: 'latest' }))
      const ageMs = now() - Number(timestamp) * 1000
      if (ageMs > STALE_BLOCK_MS) throw new Error(`The latest block is ${Math.round(ageMs / 1000)} s old`)
    },
    async isShown(claim, txHash) {
      const until = performance.now() + waitMs
      for (;;) {
        // An unreadable chain is asked again; the reconciliation decides what stays open.
        const read = isSettledBy(claim, hex(txHash), chain)
        if (await within(until - performance.now(), read).catch(() => false)) return true
        if (performance.now() >= until) return false
        await wait(POLL_MS)
      }
    },
    async search(claim) {
      const until = performance.now() + searchMs
      const began = now()
      let lastBlock: bigint | undefined
      for (;;) {
        const read = await within(until - performance.now(), readUse(claim)).catch(() => undefined)
        if (read !== undefined) {
          const { head, use } = read
          if (isSettlement(use)) return use
          if (use === 'void') return 'unused'
          // Blocks of before the settlement cannot show it.
          if (Number(head.timestamp) * 1000 >= began) lastBlock ??= head.number + SEARCH_BLOCKS
          if (use === 'open' && lastBlock !== undefined && head.number >= lastBlock) return 'unused'
        }
        if (performance.now() >= until) return 'unread'
        await wait(POLL_MS)
      }
    },
    async peek(claim) {
      const read = await within(PEEK_MS, readUse(claim)).catch(() => undefined)
      return read !== undefined && isSettlement(read.use) ? read.use : undefined
    },
  }
}

/** @throws Error at the limit; otherwise what the work throws */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const done = new AbortController()
  const late = wait(Math.max(ms, 0), undefined, { signal: done.signal }).then(() => {
    throw new Error('The chain did not respond in time')
  })
  try {
    return await Promise.race([work, late])
  } finally {
    done.abort()
  }
}
