import type { Claim, ClaimState, StoredAnswer } from '../store/claims.ts'
import type { Confirmation } from './createConfirmation.ts'
import type { Facilitator } from './facilitator.ts'
import { noteFault } from './noteFault.ts'
import {
  CHAIN_DOWN,
  deliver,
  FACILITATOR_DOWN,
  STORE_DOWN,
  settlementFailed,
  settlementUnknown,
} from './outcomes.ts'
import type { PaymentContext } from './paymentContext.ts'
import type { SaleOutcome } from './paywall.ts'
import type { Payment } from './readPayment.ts'
import type { Challenge, Terms } from './terms.ts'

/** A claimed payment on its way to settlement. */
export type ClaimedPayment = {
  /** As it was claimed. */
  claim: Claim
  payment: Payment
  terms: Terms
  /** Fires when the client disconnects. */
  signal: AbortSignal
  unpaid: (error: string) => Challenge
  requestId: string
}

/** Whom a settlement is asked of, and whom it is confirmed by. */
export type Settlers = {
  readonly facilitator: Facilitator
  readonly confirmation: Confirmation
}

type SettleContext = Pick<PaymentContext, 'log' | 'metrics' | 'now' | 'store'>

/** Settles a claimed payment and delivers the answer, or releases the claim. The last step of a sale. */
export async function settle(
  ctx: SettleContext,
  settlers: Settlers,
  sale: ClaimedPayment,
  answer: StoredAnswer,
): Promise<SaleOutcome> {
  const { facilitator, confirmation } = settlers
  const { claim, payment, terms, signal, unpaid } = sale
  if (signal.aborted) return abandon(ctx, sale)
  const waits = confirmation.isDue(terms.amountAtomic)
  if (waits) {
    try {
      await confirmation.reach()
    } catch (cause) {
      noteFault(ctx, 'confirm', cause, sale)
      await giveUp(ctx, sale)
      return CHAIN_DOWN
    }
  }
  // Store the answer first: if the process dies after the money moved, the payer still gets it.
  if (!(await advance(ctx, sale, 'settling', { answer }))) {
    await giveUp(ctx, sale)
    return STORE_DOWN
  }
  if (signal.aborted) return abandon(ctx, sale)
  const settlement = await facilitator.settle(payment.call)
  if ('cause' in settlement && settlement.kind !== 'denied') noteFault(ctx, 'settle', settlement.cause, sale)
  switch (settlement.kind) {
    case 'settled': {
      const { txHash } = settlement
      const isShown = waits && (await confirmation.isShown(claim, txHash))
      await advance(ctx, sale, isShown ? 'settled' : 'reported', { txHash })
      if (waits && !isShown) {
        noteFault(ctx, 'confirm', new Error(`the chain does not show ${txHash}`), sale)
        return settlementUnknown(claim)
      }
      return deliver(answer, txHash, payment.from, terms, false)
    }
    case 'denied': {
      const found = await deliverUnconfirmed(ctx, confirmation, sale, answer, null)
      if (typeof found === 'object') {
        noteFault(ctx, 'contradicted', settlement.cause, sale)
        return found
      }
      noteFault(ctx, 'denied', settlement.cause, sale)
      // Only the chain can say that nothing moved, and only for now.
      const isUnused = found === 'unused'
      await advance(ctx, sale, isUnused ? 'refused' : 'unknown', {})
      return isUnused
        ? settlementFailed(unpaid(settlement.reason), settlement.reason, payment, terms)
        : settlementUnknown(claim)
    }
    case 'unknown': {
      const { txHash } = settlement
      const found = await deliverUnconfirmed(ctx, confirmation, sale, answer, txHash)
      if (typeof found === 'object') return found
      await advance(ctx, sale, 'unknown', { txHash })
      return settlementUnknown(claim)
    }
    case 'unavailable':
      await giveUp(ctx, sale)
      return FACILITATOR_DOWN
  }
}

/** Gives a claim up whose payment this call did not send. One that an earlier call sent may still settle. */
export async function giveUp(ctx: SettleContext, sale: ClaimedPayment): Promise<void> {
  await advance(ctx, sale, sale.claim.sentAt === null ? 'released' : 'refused', { answer: null })
}

async function abandon(ctx: SettleContext, sale: ClaimedPayment): Promise<SaleOutcome> {
  await giveUp(ctx, sale)
  return { kind: 'abandoned' }
}

/** Advances a claim. A failed write leaves it to the reconciliation, which treats `settling` as unknown. */
async function advance(
  ctx: SettleContext,
  sale: ClaimedPayment,
  to: Exclude<ClaimState, 'claimed'>,
  change: { answer?: StoredAnswer | null; txHash?: string | null },
): Promise<boolean> {
  try {
    await ctx.store.write('advancePayment', sale.claim, to, { at: ctx.now(), ...change })
    return true
  } catch (cause) {
    noteFault(ctx, 'claim', cause, sale)
    return false
  }
}

/** Looks on chain for a settlement that the facilitator did not confirm, and delivers the answer if it is there. */
async function deliverUnconfirmed(
  ctx: SettleContext,
  confirmation: Confirmation,
  sale: ClaimedPayment,
  answer: StoredAnswer,
  txHash: string | null,
): Promise<SaleOutcome | 'unused' | 'unread'> {
  const { claim, payment, terms } = sale
  const found = await confirmation.search({ ...claim, txHash })
  if (found === 'unused' || found === 'unread') return found
  await advance(ctx, sale, 'settled', { txHash: found })
  return deliver(answer, found, payment.from, terms, false)
}
