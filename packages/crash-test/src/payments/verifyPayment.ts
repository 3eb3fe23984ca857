import { TRANSFER_WITH_AUTHORIZATION as types } from '@touchstone402/shared'
import { type Address, isAddressEqual, recoverTypedDataAddress } from 'viem'
import type { Payment } from '../types.ts'
import type { SentPayment, SentVoucher } from './readPayment.ts'
import { findToken, TEMPO_USDC } from './tokens.ts'

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
      domain,
      types,
      primaryType: 'TransferWithAuthorization' as const,
      message,
      signature,
    }).catch(() => null)
    if (signer === null || !isAddressEqual(signer, payer)) continue
    return { network, asset, payTo: message.to, amount: value, validBefore, nonce, ...where }
  }
  return null
}

/** Contract that holds the deposits of sessions. Source: TIP-1034. */
export const TEMPO_ESCROW = '0x4d50500000000000000000000000000000000000'
const VOUCHER_TYPES = {
  Voucher: [
    { name: 'channelId', type: 'bytes32' },
    { name: 'cumulativeAmount', type: 'uint96' },
  ],
} as const

/**
 * Verifies a voucher of an MPP session as its escrow would. It stands for one payment of its whole amount, which a
 * higher voucher of the same channel replaces.
 * @returns null if the payer did not sign it
 */
export async function verifyVoucher(
  { channelId, cumulativeAmount, signature }: SentVoucher,
  { payer, payTo, ...where }: Pick<Payment, 'at' | 'receivedAt' | 'payTo'> & { payer: Address },
): Promise<Payment | null> {
  const domain = { name: 'TIP20 Channel Reserve', version: '1', chainId: 4217 } as const
  const signer = await recoverTypedDataAddress({
    domain: { ...domain, verifyingContract: TEMPO_ESCROW },
    types: VOUCHER_TYPES,
    signature,
    primaryType: 'Voucher' as const,
    message: { channelId, cumulativeAmount },
  }).catch(() => null)
  if (signer === null || !isAddressEqual(signer, payer)) return null
  const terms = { ...TEMPO_USDC, payTo, amount: cumulativeAmount, nonce: channelId }
  // A voucher does not expire: it holds until the channel is closed, within the minutes of a session.
  return { ...terms, validBefore: BigInt(Math.floor(where.receivedAt / 1000)), ...where }
}
