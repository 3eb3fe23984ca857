import { decodeBase64Json, isRecord, toCaip2, X402_HEADERS } from '@touchstone402/shared'
import { type Authorization, readAuthorization, readDecimal } from './authorization.ts'

/** A payment decoded from a request header. */
export type OutgoingPayment = {
  /** CAIP-2. */
  network: string
  /** The accepted asset of a v2 payload; null in v1. */
  asset: string | null
  authorization: Authorization
  signature: string
}

/** Whether a request carries a payment. */
export function carriesPayment(headers: Headers): boolean {
  return headers.has(X402_HEADERS.signature) || headers.has(X402_HEADERS.v1Payment)
}

/** Returns the header that carries the payment of a request. */
export function readPaymentHeader(headers: Headers): { header: string; value: string } {
  const header = headers.has(X402_HEADERS.signature) ? X402_HEADERS.signature : X402_HEADERS.v1Payment
  return { header, value: headers.get(header) ?? '' }
}

const MAX_HEADER = 64 * 1024

/** Decodes a payment of the exact scheme strictly; undefined if any part is invalid. */
export function decodePayment(headers: Headers): OutgoingPayment | undefined {
  if (headers.has(X402_HEADERS.signature) && headers.has(X402_HEADERS.v1Payment)) return undefined
  const { header, value: text } = readPaymentHeader(headers)
  const version = header === X402_HEADERS.signature ? 2 : 1
  if (text === '' || text.length > MAX_HEADER) return undefined
  const document = decodeBase64Json(text)
  if (document?.x402Version !== version) return undefined
  const { payload } = document
  const terms = version === 2 ? document.accepted : { ...document, asset: null }
  if (!isRecord(terms) || !isRecord(payload)) return undefined
  const network = typeof terms.network === 'string' ? toCaip2(terms.network, version) : undefined
  const asset = terms.asset ?? null
  if (terms.scheme !== 'exact' || network === undefined) return undefined
  if (asset !== null && typeof asset !== 'string') return undefined
  const { authorization: fields, signature, ...others } = payload
  const authorization = readAuthorization(fields, readDecimal)
  if (authorization === undefined || typeof signature !== 'string') return undefined
  // No honest client sends anything beside the authorization, such as a Permit2 payload.
  if (Object.keys(others).length > 0) return undefined
  return { network, asset, authorization, signature }
}
