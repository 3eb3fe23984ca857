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

/** Whether the payer's own key signed a payment for these terms. */
export type SignatureCheck = (payment: Payment, terms: Terms) => Promise<boolean>

/**
 * Creates the check of signatures. False means that the account may be a contract, which only the chain can ask, or
 * that the signature is wrong. The last findings are remembered: copies of a payment may come by the dozen, and to find
 * out who signed costs more than the rest of refusing them.
 * @param memory how many findings
 */
export function createSignatureCheck(memory = 1000): SignatureCheck {
  const findings = new Map<string, Promise<boolean>>()
  return (payment, terms) => {
    const { from, to, value, validAfter, validBefore, nonce, signature } = payment
    if (signature.length !== PLAIN_SIGNATURE_LENGTH) return Promise.resolve(false)
    const name = JSON.stringify([
      terms.domain,
      from,
      to,
      `${value}`,
      validAfter,
      validBefore,
      nonce,
      signature,
    ])
    const known = findings.get(name)
    if (known !== undefined) return known
    const [oldest] = findings.keys()
    if (oldest !== undefined && findings.size >= memory) findings.delete(oldest)
    const finding = isSignedByPayer(payment, terms)
    findings.set(name, finding)
    return finding
  }
}

async function isSignedByPayer(payment: Payment, { domain }: Terms): Promise<boolean> {
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
