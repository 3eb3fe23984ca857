import type { Challenge, Offer, OtherOffer } from '@touchstone402/shared'
import type { FullChallenge } from '../decide/otherProtocols.ts'
import type { Policy } from '../decide/policyTypes.ts'
import type { CallRequest } from './request.ts'
import type { OutgoingPayment, PaymentHeader, PaymentScheme } from './scheme.ts'
import type { Authorization, PaymentChannel } from './signatures/authorization.ts'
import type { TypedData } from './signatures/signingAccount.ts'

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
  decode(found: PaymentHeader): OutgoingPayment | undefined
  /** Records a channel whose deposit was approved. @param url URL of the call that opened it */
  opened(channel: PaymentChannel, url: string): void
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
