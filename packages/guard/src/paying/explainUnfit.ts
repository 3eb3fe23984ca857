import { type Approval, findHolder, isTooLate } from './approvals.ts'
import type { GuardContext } from './guardContext.ts'
import type { SignedPayment } from './scheme.ts'
import { withhold } from './settlement.ts'
import type { Doubt } from './signatures/contractWallet.ts'
import { doubtSignature } from './signatures/doubtSignature.ts'

/** Says why a payment fits none of the approvals of its call. One that was signed too late ends its approval. */
export async function explainUnfit(
  context: GuardContext,
  open: readonly Approval[],
  payment: SignedPayment,
): Promise<{
  code: 'OFFER_CHANGED' | 'SIGNATURE_INVALID' | 'SIGNED_TOO_LATE'
  late?: Approval
  doubt?: Doubt
}> {
  const { authorization } = payment
  const holder = findHolder(context.approvals, authorization)
  const isIts = (one: Approval) => (holder === undefined ? one.signed === null : one === holder)
  const late = open.find((one) => isIts(one) && isTooLate(one, authorization, context.now()))
  if (late === undefined) return { code: 'OFFER_CHANGED' }
  const doubt = await doubtSignature(context, late, payment)
  if (doubt !== null) return { code: 'SIGNATURE_INVALID', late, doubt }
  // It may have been presented elsewhere while it was valid.
  await withhold(context, late, authorization)
  return { code: 'SIGNED_TOO_LATE', late }
}
