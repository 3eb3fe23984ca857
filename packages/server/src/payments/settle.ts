import type { Claim, ClaimState, StoredAnswer } from '../store/claims.ts'
import type { Store } from '../store/store.ts'
import type { Confirmation } from './createConfirmation.ts'
import type { Facilitator } from './facilitator.ts'
import {
  CHAIN_DOWN,
  deliver,
  FACILITATOR_DOWN,
  type PaymentFault,
  STORE_DOWN,
  settlementFailed,
  settlementUnknown,
} from './outcomes.ts'
import type { SaleOutcome } from './paywall.ts'
import type { Payment } from './readPayment.ts'
import type { Challenge, Terms } from './terms.ts'

/** Dependencies of the settler. */
export type SettlerDeps = {
  facilitator: Facilitator
  claims: Store
  confirmation: Confirmation | undefined
  now: () => number
}

/** A claimed payment on its way to settlement. */
export type ClaimedPayment = {
  /** As it was claimed. */
  claim: Claim
  payment: Payment
  terms: Terms
  /** Fires when the client disconnects. */
  signal: AbortSignal
  unpaid: (error: string) => Challenge
  onFault: (step: PaymentFault['step'], cause: unknown) => void
}

/** Creates the last step of a sale: settles the payment and delivers the answer, or releases the claim. */
export function createSettler({ facilitator, claims, confirmation, now }: SettlerDeps) {
  /** Advances a claim. A failed write leaves it to the reconciliation, which treats `settling` as unknown. */
  const advance = async (
    { claim, onFault }: Pick<ClaimedPayment, 'claim' | 'onFault'>,
    to: Exclude<ClaimState, 'claimed'>,
    change: { answer?: StoredAnswer | null; txHash?: string | null },
  ): Promise<boolean> => {
    try {
      await claims.write('advancePayment', claim, to, { at: now(), ...change })
      return true
    } catch (cause) {
      onFault('claim', cause)
      return false
    }
  }

  /** Gives a claim up whose payment this call did not send. One that an earlier call sent may still settle. */
  const giveUp = async (sale: ClaimedPayment): Promise<void> => {
    await advance(sale, sale.claim.sentAt === null ? 'released' : 'refused', { answer: null })
  }

  const abandon = async (sale: ClaimedPayment): Promise<SaleOutcome> => {
    await giveUp(sale)
    return { kind: 'abandoned' }
  }

  /** Looks on chain for a settlement that the facilitator did not confirm, and delivers the answer if it is there. */
  const deliverUnconfirmed = async (
    sale: ClaimedPayment,
    answer: StoredAnswer,
    txHash: string | null,
  ): Promise<SaleOutcome | 'unused' | 'unread'> => {
    const { claim, payment, terms } = sale
    const found = (await confirmation?.search({ ...claim, txHash })) ?? 'unread'
    if (found === 'unused' || found === 'unread') return found
    await advance(sale, 'settled', { txHash: found })
    return deliver(answer, found, payment.from, terms, false)
  }

  const settle = async (sale: ClaimedPayment, answer: StoredAnswer): Promise<SaleOutcome> => {
    const { claim, payment, terms, signal, unpaid, onFault } = sale
    if (signal.aborted) return abandon(sale)
    const waits = confirmation?.isDue(terms.amountAtomic) ? confirmation : undefined
    try {
      await waits?.reach()
    } catch (cause) {
      onFault('confirm', cause)
      await giveUp(sale)
      return CHAIN_DOWN
    }
    // Store the answer first: if the process dies after the money moved, the payer still gets it.
    if (!(await advance(sale, 'settling', { answer }))) {
      await giveUp(sale)
      return STORE_DOWN
    }
    if (signal.aborted) return abandon(sale)
    const settlement = await facilitator.settle(payment.call)
    if ('cause' in settlement && settlement.kind !== 'denied') onFault('settle', settlement.cause)
    switch (settlement.kind) {
      case 'settled': {
        const { txHash } = settlement
        const isShown = await waits?.isShown(claim, txHash)
        await advance(sale, isShown ? 'settled' : 'reported', { txHash })
        if (isShown === false) {
          onFault('confirm', new Error(`the chain does not show ${txHash}`))
          return settlementUnknown(claim)
        }
        return deliver(answer, txHash, payment.from, terms, false)
      }
      case 'denied': {
        const found = await deliverUnconfirmed(sale, answer, null)
        if (typeof found === 'object') {
          onFault('contradicted', settlement.cause)
          return found
        }
        onFault('denied', settlement.cause)
        // Only the chain can say that nothing moved, and only for now.
        const isUnused = found === 'unused'
        await advance(sale, isUnused ? 'refused' : 'unknown', {})
        return isUnused
          ? settlementFailed(unpaid(settlement.reason), settlement.reason, payment, terms)
          : settlementUnknown(claim)
      }
      case 'unknown': {
        const { txHash } = settlement
        const found = await deliverUnconfirmed(sale, answer, txHash)
        if (typeof found === 'object') return found
        await advance(sale, 'unknown', { txHash })
        return settlementUnknown(claim)
      }
      case 'unavailable':
        await giveUp(sale)
        return FACILITATOR_DOWN
    }
  }

  return { giveUp, settle }
}
