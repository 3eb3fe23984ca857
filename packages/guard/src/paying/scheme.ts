import type { Challenge, Offer, OtherOffer } from '@touchstone402/shared'
import type { FullChallenge } from '../decide/otherProtocols.ts'
import type { Policy } from '../decide/policySchema.ts'
import type { PricedOffer } from '../decide/screen.ts'
import type { ReadChain } from '../ledger/chain.ts'
import type { StoredPayment } from '../ledger/ledger.ts'
import type { PaymentIntent } from '../types.ts'
import type { CallRequest } from './calls/request.ts'
import type { Authorization, PaymentChannel } from './signatures/authorization.ts'
import type { TypedData } from './signatures/typedData.ts'

/** How authorizations of a scheme are read, checked, signed and looked up on chain. */
export type PaymentScheme = {
  readonly name: PaymentIntent['scheme']
  /** Parses the payload of a payment strictly; undefined if any part is invalid. */
  readPayload(
    payload: Record<string, unknown>,
  ): Pick<SignedPayment, 'authorization' | 'signature'> | undefined
  /** Parses a message that an account is to sign strictly; undefined unless it is an authorization of this scheme. */
  readMessage(data: TypedData, payer: string): Authorization | undefined
  /** Whether an authorization, and the domain if given, have what the scheme asks for beside receiver, amount and time. */
  fits(terms: PricedOffer, authorization: Authorization, domain?: Record<string, unknown>): boolean
  /** Builds the typed data of an authorization. */
  write(terms: PricedOffer, authorization: Authorization): TypedData
  /** Computes the digest of that typed data. Source: EIP-712. */
  hash(terms: PricedOffer, authorization: Authorization): Uint8Array
  readonly readChain: ReadChain
}

/** A payment decoded from a request, before anything of it is verified. */
export type SignedPayment = {
  authorization: Authorization
  signature: string
  scheme: PaymentScheme
  /** CAIP-2; null in MPP, whose challenge names it. */
  network: string | null
  /** The accepted asset of a v2 payload; null in v1 and MPP. */
  asset: string | null
  /** Whether it answers the challenge of an approval, in MPP. */
  answers?: (terms: PricedOffer) => boolean
}

/** A header that carries a payment. x402 names are in upper case, others in lower case. */
export type PaymentHeader = Pick<StoredPayment, 'header' | 'value'>

/** The schemes of a guard, by name. */
export type PaymentSchemes = {
  readonly exact: PaymentScheme
  readonly upto?: PaymentScheme | undefined
  readonly mpp?: MppMethods | undefined
}

/**
 * How a guard pays MPP; made by `createMpp` of `@touchstone402/guard/mpp`.
 * @example
 * const mpp: MppMethods = createMpp()
 */
export type MppMethods = {
  /** Adds what can be paid to a challenge. @param accept `Accept-Payment` header of the request */
  addOffers(challenge: Challenge, accept: string | null, now: number): FullChallenge
  schemeOf(other: OtherOffer): PaymentScheme
  /** Decodes a credential strictly; undefined if any part is invalid. */
  decode(found: PaymentHeader): SignedPayment | undefined
  /**
   * Records a channel whose deposit was approved.
   * @param url URL of the call that opens it
   * @param isOpen whether the seller has accepted it; before, vouchers are signed, but no offer is free. @default false
   */
  opened(channel: PaymentChannel, url: string, isOpen?: boolean): void
  /** Finds a challenge that no new money answers: a proof of amount 0, or a voucher of an open channel. */
  findFree(
    policy: Policy,
    call: { challenge: FullChallenge; requestedUrl: string; url: string },
    now: number,
  ): Offer | undefined
  /** Whether a request carries nothing but an answer to such a challenge. Records vouchers as sent. */
  carriesFree(request: CallRequest): boolean
  /** Rebuilds the typed data of such an answer; undefined unless it is one. */
  readFree(data: TypedData, payer: string): TypedData | undefined
  /** Parses a transaction that an account is to sign strictly; undefined unless it is one payment. */
  readTransaction(transaction: unknown, payer: string): Promise<TransactionPayment | undefined>
}

/** A payment by a transaction, with the rebuilt transaction to sign and its serializer. */
export type TransactionPayment = {
  scheme: PaymentScheme
  authorization: Authorization
  unsigned: Record<string, unknown>
  serializer: unknown
}
