import { keccak256, recoverTypedDataAddress } from 'viem'
import type { Payment } from './readPayment.ts'
import type { Terms } from './terms.ts'

/** Typed data of an EIP-3009 transfer. Source: EIP-3009. */
const TRANSFER_WITH_AUTHORIZATION = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

const PLAIN_SIGNATURE_LENGTH = 2 + 65 * 2

/**
 * Whether the payer's own key signed the payment. False means that the account may be a contract, which only the
 * chain can ask, or that the signature is wrong.
 */
export async function isSignedByPayer(payment: Payment, { domain }: Terms): Promise<boolean> {
  if (payment.signature.length !== PLAIN_SIGNATURE_LENGTH) return false
  try {
    const signer = await recoverTypedDataAddress({
      domain,
      types: TRANSFER_WITH_AUTHORIZATION,
      primaryType: 'TransferWithAuthorization',
      message: {
        from: payment.from,
        to: payment.to,
        value: payment.value,
        validAfter: BigInt(payment.validAfter),
        validBefore: BigInt(payment.validBefore),
        nonce: payment.nonce,
      },
      signature: payment.signature,
    })
    return signer.toLowerCase() === payment.from
  } catch {
    // No point on the curve: no key made this.
    return false
  }
}

/** A name for a signature that could not be checked here, so that no other one can stand in for it. */
export function signatureDigest(payment: Payment): string {
  return keccak256(payment.signature)
}
