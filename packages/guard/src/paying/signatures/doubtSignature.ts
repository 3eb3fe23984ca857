import { sameAddress } from '@touchstone402/shared'
import type { Approval } from '../approvals.ts'
import type { GuardContext } from '../guardContext.ts'
import type { SignedPayment } from '../scheme.ts'
import { recoverSigner } from './authorization.ts'
import type { Doubt } from './contractWallet.ts'

/**
 * Checks that the payer of a payment has signed it: by key recovery, else by the verifier for contract wallets.
 * @returns null if the payer has signed
 */
export async function doubtSignature(
  context: GuardContext,
  open: Approval,
  payment: SignedPayment,
): Promise<Doubt | null> {
  const { scheme, authorization, signature } = payment
  // Under the asset's own domain or Permit2's, not the one claimed by the offer or the payload.
  const signer = recoverSigner(scheme.hash(open, authorization), signature)
  if (signer !== undefined && sameAddress(signer, authorization.from)) return null
  // Loaded with the first such signature, since most payers have a key.
  return (await import('./contractWallet.ts')).doubtContract(context, open, payment)
}
