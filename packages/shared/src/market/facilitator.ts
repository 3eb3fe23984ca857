import { sameAddress } from '../networks.ts'
import type { Ask } from './offerForms.ts'
import type { SignedTransfer } from './readPayment.ts'

/** The part of a chain that a facilitator double needs. */
export type SettlingChain = {
  /** Unix time in seconds of the next block. */
  now(): number
  isUsed(from: string, nonce: string): boolean
  balanceOf(holder: string): bigint
  /** Moves an amount and uses the nonce. Returns the hash of the transaction. */
  transfer(transfer: SignedTransfer, amount: bigint): string
}

/** The answer of a facilitator, as `/verify` and `/settle` give it. */
export type Settlement =
  | { readonly success: true; readonly transaction: string }
  | { readonly success: false; readonly errorReason: string }

/** A double of a facilitator. */
export type FacilitatorDouble = {
  /** Returns why a transfer does not pay for an ask; null if it does. */
  verify(transfer: SignedTransfer, ask: Ask): string | null
  /**
   * Settles a transfer on the chain if it can be.
   * @param ask what it must pay for. @default anything
   * @param amount less than the signed value by `upto` alone. @default all of it
   */
  settle(transfer: SignedTransfer, ask?: Ask, amount?: bigint): Settlement
}

/**
 * Creates a double of a facilitator: it checks what the token contract checks, and settles on a simulated chain.
 * @param isSigned verifies a signature as the token would
 */
export function createFacilitator(
  chain: SettlingChain,
  isSigned: (transfer: SignedTransfer) => boolean,
): FacilitatorDouble {
  const doubt = (transfer: SignedTransfer): string | null => {
    const { from, value, validAfter, validBefore, nonce } = transfer
    const now = BigInt(chain.now())
    if (BigInt(validAfter) >= now) return 'invalid_exact_evm_payload_authorization_valid_after'
    if (BigInt(validBefore) <= now) return 'invalid_exact_evm_payload_authorization_valid_before'
    if (chain.isUsed(from, nonce)) return 'nonce_already_used'
    if (chain.balanceOf(from) < BigInt(value)) return 'insufficient_funds'
    return isSigned(transfer) ? null : 'invalid_exact_evm_payload_signature'
  }
  const verify = (transfer: SignedTransfer, ask: Ask): string | null => {
    if (!sameAddress(transfer.to, ask.payTo)) return 'invalid_exact_evm_payload_recipient_mismatch'
    if (BigInt(transfer.value) < BigInt(ask.amount)) return 'invalid_exact_evm_payload_authorization_value'
    return doubt(transfer)
  }
  return {
    verify,
    settle(transfer, ask, amount = BigInt(transfer.value)) {
      const isPart = amount < BigInt(transfer.value)
      if (amount > BigInt(transfer.value) || (isPart && transfer.scheme === 'exact'))
        return { success: false, errorReason: 'invalid_amount' }
      const errorReason = ask === undefined ? doubt(transfer) : verify(transfer, ask)
      return errorReason === null
        ? { success: true, transaction: chain.transfer(transfer, amount) }
        : { success: false, errorReason }
    },
  }
}
