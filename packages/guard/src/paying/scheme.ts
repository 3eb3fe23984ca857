import type { OtherOffer } from '@touchstone402/shared'
import type { ReadChain } from '../ledger/chain.ts'
import type { AssetDomain, PaymentIntent } from '../types.ts'
import type { Authorization } from './signatures/authorization.ts'
import type { TypedData } from './signatures/signingAccount.ts'

/** The approved terms that a message is signed for. */
export type SigningTerms = {
  readonly domain: AssetDomain
  readonly intent: PaymentIntent
  /** The challenge of MPP that it answers. */
  readonly other: OtherOffer | null
}

/** An authorization and its signature, which is not verified. */
export type SignedAuthorization = { authorization: Authorization; signature: string }

/** How authorizations of a scheme are read, checked, signed and looked up on chain. */
export type PaymentScheme = {
  readonly name: PaymentIntent['scheme']
  /** Parses the payload of a payment strictly; undefined if any part is invalid. */
  readPayload(payload: Record<string, unknown>): SignedAuthorization | undefined
  /** Parses a message that an account is to sign strictly; undefined unless it is an authorization of this scheme. */
  readMessage(data: TypedData, payer: string): Authorization | undefined
  /** Whether an authorization, and the domain if given, have what the scheme asks for beside receiver, amount and time. */
  fits(terms: SigningTerms, authorization: Authorization, domain?: Record<string, unknown>): boolean
  /** Builds the typed data of an authorization. */
  write(terms: SigningTerms, authorization: Authorization): TypedData
  /** Computes the digest of that typed data. Source: EIP-712. */
  hash(terms: SigningTerms, authorization: Authorization): Uint8Array
  readonly readChain: ReadChain
}

/** A payment decoded from a request header. */
export type OutgoingPayment = SignedAuthorization & {
  scheme: PaymentScheme
  /** CAIP-2; null in MPP, whose challenge names it. */
  network: string | null
  /** The accepted asset of a v2 payload; null in v1 and MPP. */
  asset: string | null
  /** Whether it answers the challenge of an approval, in MPP. */
  answers?: (terms: SigningTerms) => boolean
}

/** A header that carries a payment. x402 names are in upper case, others in lower case. */
export type PaymentHeader = { header: string; value: string }
