import type { ClaimKey, ClaimStore, StoredAnswer } from '../../ports/claims.ts'
import type { SaleOutcome } from '../../ports/paywall.ts'
import type { Facilitator } from './facilitator.ts'
import type { Payment } from './readPayment.ts'
import { receiptOf } from './receipt.ts'
import { deliver, refuse, STORE_DOWN, settlementUnknown } from './standing.ts'
import type { Terms } from './terms.ts'

export type SettlerDeps = {
  facilitator: Facilitator
  claims: ClaimStore
  now: () => number
  onFault: (fault: { step: 'settle' | 'claim'; cause: unknown; receipt: string }) => void
}

/** Takes a claim from a finished answer to its end. */
export function createSettler({ facilitator, claims, now, onFault }: SettlerDeps) {
  /** Gives a claim back; where that cannot be written, the reconciliation does it later. */
  const release = async (key: ClaimKey): Promise<void> => {
    try {
      await claims.advance(key, 'released', { at: now(), answer: null })
    } catch (cause) {
      onFault({ step: 'claim', cause, receipt: receiptOf(key) })
    }
  }

  const settle = async (
    key: ClaimKey,
    payment: Payment,
    answer: StoredAnswer,
    signal: AbortSignal,
    terms: Terms,
    unpaid: (error: string) => SaleOutcome,
  ): Promise<SaleOutcome> => {
    if (signal.aborted) {
      await release(key)
      return { kind: 'abandoned' }
    }
    try {
      // With the answer: should the process die after the money has moved, the payer still gets what was bought.
      await claims.advance(key, 'settling', { at: now(), answer })
    } catch (cause) {
      onFault({ step: 'claim', cause, receipt: receiptOf(key) })
      await release(key)
      return STORE_DOWN
    }
    if (signal.aborted) {
      await release(key)
      return { kind: 'abandoned' }
    }
    const settlement = await facilitator.settle(payment.call)
    switch (settlement.kind) {
      case 'settled':
        await note(key, 'settled', settlement.txHash)
        return deliver(answer, settlement.txHash, payment.from, terms, false)
      case 'failed':
        await release(key)
        return unpaid(settlement.reason)
      case 'unavailable':
        onFault({ step: 'settle', cause: settlement.cause, receipt: receiptOf(key) })
        await release(key)
        return refuse(
          503,
          'facilitator_unavailable',
          'Payments cannot be settled now; nothing was charged.',
          { retryAfterSeconds: 10 },
        )
      case 'unknown':
        onFault({ step: 'settle', cause: settlement.cause, receipt: receiptOf(key) })
        await note(key, 'unknown', settlement.txHash)
        return settlementUnknown(key)
    }
  }

  // What cannot be written stays `settling`, which the reconciliation takes for unknown.
  const note = async (key: ClaimKey, state: 'settled' | 'unknown', txHash: string | null): Promise<void> => {
    try {
      await claims.advance(key, state, { at: now(), txHash })
    } catch (cause) {
      onFault({ step: 'claim', cause, receipt: receiptOf(key) })
    }
  }

  return { release, settle }
}
