import { TRANSFER_WITH_AUTHORIZATION } from '@touchstone402/shared'
import { keccak256, recoverTypedDataAddress } from 'viem'
import type { Payment } from './readPayment.ts'
import type { Terms } from './terms.ts'

/** Maximum number of cached results. */
export const CACHED_SIGNATURES = 1000

const PLAIN_SIGNATURE_LENGTH = 2 + 65 * 2

/** Returns whether the payer's own key signed a payment for these terms. */
export type SignatureCheck = (payment: Payment, terms: Terms) => Promise<boolean>

/**
 * Creates a signature check with a cache, since recovering the signer costs more than the rest of refusing a copy.
 * False means that the signature is wrong or that the payer is a contract, which only the chain can ask.
 */
export function createSignatureCheck(): SignatureCheck {
  const results = new Map<string, Promise<boolean>>()
  return (payment, terms) => {
    const { call: _call, version: _version, value, ...signed } = payment
    if (payment.signature.length !== PLAIN_SIGNATURE_LENGTH) return Promise.resolve(false)
    const key = JSON.stringify([terms.domain, `${value}`, signed])
    const cached = results.get(key)
    if (cached !== undefined) return cached
    const [oldest] = results.keys()
    if (oldest !== undefined && results.size >= CACHED_SIGNATURES) results.delete(oldest)
    const result = isSignedByPayer(payment, terms)
    results.set(key, result)
    return result
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
    // Not a point on the curve.
    return false
  }
}

/** Returns a digest of a signature that could not be checked here, so that no other one can reuse its claim. */
export function signatureDigest(payment: Payment): string {
  return keccak256(payment.signature)
}
