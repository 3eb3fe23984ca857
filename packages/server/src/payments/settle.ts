import type { ClaimKey, ClaimState, ClaimStore, StoredAnswer } from '../ports/claims.ts'
import type { SaleOutcome } from '../ports/paywall.ts'
import type { Confirmation } from './createConfirmation.ts'
import type { Facilitator } from './facilitator.ts'
import {
  CHAIN_DOWN,
  deliver,
  FACILITATOR_DOWN,
  type PaymentFault,
  receiptOf,
  STORE_DOWN,
  settlementFailed,
  settlementUnknown,
} from './outcomes.ts'
import type { Payment } from './readPayment.ts'
import type { Challenge, Terms } from './terms.ts'

/** Dependencies of the settler. */
export type SettlerDeps = {
  facilitator: Facilitator
  claims: ClaimStore
  confirmation: Confirmation | undefined
  now: () => number
  onFault: (fault: PaymentFault) => void
}

/** A claimed payment on its way to settlement. */
export type ClaimedPayment = {
  key: ClaimKey
  payment: Payment
  terms: Terms
  /** Fires when the client disconnects. */
  signal: AbortSignal
  unpaid: (error: string) => Challenge
}

/** Creates the last step of a sale: settles the payment and delivers the answer, or releases the claim. */
export function createSettler({ facilitator, claims, confirmation, now, onFault }: SettlerDeps) {
  /** Advances a claim. A failed write leaves it to the reconciliation, which treats `settling` as unknown. */
  const advance = async (
    key: ClaimKey,
    to: Exclude<ClaimState, 'claimed'>,
    change: { answer?: StoredAnswer | null; txHash?: string | null },
  ): Promise<boolean> => {
    try {
      await claims.advance(key, to, { at: now(), ...change })
      return true
    } catch (cause) {
      onFault({ step: 'claim', cause, receipt: receiptOf(key) })
      return false
    }
  }

  const release = (key: ClaimKey) => advance(key, 'released', { answer: null })

  const abandon = async (key: ClaimKey): Promise<SaleOutcome> => {
    await release(key)
    return { kind: 'abandoned' }
  }

  const settle = async (sale: ClaimedPayment, answer: StoredAnswer): Promise<SaleOutcome> => {
    const { key, payment, terms, signal, unpaid } = sale
    if (signal.aborted) return abandon(key)
    const waits = confirmation?.isDue(terms.amountAtomic) ? confirmation : undefined
    try {
      await waits?.reach()
    } catch (cause) {
      onFault({ step: 'confirm', cause, receipt: receiptOf(key) })
      await release(key)
      return CHAIN_DOWN
    }
    // Store the answer first: if the process dies after the money moved, the payer still gets it.
    if (!(await advance(key, 'settling', { answer }))) {
      await release(key)
      return STORE_DOWN
    }
    if (signal.aborted) return abandon(key)
    const settlement = await facilitator.settle(payment.call)
    if ('cause' in settlement) onFault({ step: 'settle', cause: settlement.cause, receipt: receiptOf(key) })
    switch (settlement.kind) {
      case 'settled': {
        const { txHash } = settlement
        const { payTo, amountAtomic } = terms
        const isShown = await waits?.isShown({ ...key, payTo, amountAtomic }, txHash)
        await advance(key, isShown ? 'settled' : 'reported', { txHash })
        if (isShown === false) {
          const cause = new Error(`the chain does not show ${txHash}`)
          onFault({ step: 'confirm', cause, receipt: receiptOf(key) })
          return settlementUnknown(key)
        }
        return deliver(answer, txHash, payment.from, terms, false)
      }
      case 'unknown':
        await advance(key, 'unknown', { txHash: settlement.txHash })
        return settlementUnknown(key)
      case 'failed':
        await release(key)
        return settlementFailed(unpaid(settlement.reason), settlement.reason, payment, terms)
      case 'unavailable':
        await release(key)
        return FACILITATOR_DOWN
    }
  }

  return { release, settle }
}
