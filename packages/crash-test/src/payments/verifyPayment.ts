import { TRANSFER_WITH_AUTHORIZATION as types } from '@touchstone402/shared'
import { type Address, isAddressEqual, recoverTypedDataAddress } from 'viem'
import type { Payment } from '../types.ts'
import type { SentPayment } from './readPayment.ts'
import { findToken } from './tokens.ts'

const MAX_UINT256 = 2n ** 256n - 1n

/** A token that the seller asked to be paid in. */
export type AskedToken = { network: string; asset: string }

/**
 * Verifies a payment as its token would, under the domain of the token itself and not under the one that the seller
 * named. Tries each token that was asked for, since v1 payments do not name theirs.
 * @returns null if no token would move anything for it: a wrong signature, no amount, or expired
 */
export async function verifyPayment(
  sent: SentPayment,
  payer: Address,
  asked: readonly AskedToken[],
  where: Pick<Payment, 'at' | 'receivedAt'>,
): Promise<Payment | null> {
  const { signature, ...message } = sent
  const { value, validAfter, validBefore, nonce } = message
  const isOpen = validBefore * 1000n > BigInt(where.receivedAt) && validAfter < validBefore
  if (value === 0n || !isOpen || [value, validBefore].some((number) => number > MAX_UINT256)) return null
  for (const { network, asset } of asked) {
    const domain = findToken(network, asset)?.domain
    if (domain === undefined) continue
    const signer = await recoverTypedDataAddress({
      ...{ domain, types, primaryType: 'TransferWithAuthorization' as const, message, signature },
    }).catch(() => null)
    if (signer === null || !isAddressEqual(signer, payer)) continue
    return { network, asset, payTo: message.to, amount: value, validBefore, nonce, ...where }
  }
  return null
}
