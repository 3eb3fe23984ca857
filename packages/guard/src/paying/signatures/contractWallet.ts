import { withDeadline } from '../../deadline.ts'
import type { Hex } from '../../types.ts'
import type { Approval } from '../approvals.ts'
import type { GuardContext } from '../guardContext.ts'
import type { SignedPayment } from '../scheme.ts'
import { bytesToHex } from './bytes.ts'

/** Why a signature does not prove its payer. */
export type Doubt = { details?: string; cause?: unknown }

const TIMEOUT_MS = 10_000
const HEX = /^0x([0-9a-fA-F]{2})+$/

/** Asks the verifier for contract wallets whether a payer has signed. Returns null if so. */
export async function doubtContract(
  { verifySignature }: Pick<GuardContext, 'verifySignature'>,
  open: Approval,
  { scheme, authorization, signature }: SignedPayment,
): Promise<Doubt | null> {
  if (!HEX.test(signature)) return { details: 'The signature is not hexadecimal.' }
  if (verifySignature === null) return { details: WITHOUT_VERIFIER }
  const request = {
    network: open.intent.network,
    from: authorization.from as Hex,
    typedData: scheme.write(open, authorization),
    digest: bytesToHex(scheme.hash(open, authorization)),
    signature: signature as Hex,
  }
  try {
    const isValid = await withDeadline(() => verifySignature(request), TIMEOUT_MS)
    return isValid === true
      ? null
      : { details: 'Neither key recovery nor verifySignature confirms the payer.' }
  } catch (cause) {
    return { details: 'It is not that of the payer by key recovery, and verifySignature failed.', cause }
  }
}

const WITHOUT_VERIFIER =
  'It is not that of the payer by key recovery. If the payer is a contract wallet, give the option verifySignature: ' +
  'createWalletVerifier of @touchstone402/guard/wallets.'
