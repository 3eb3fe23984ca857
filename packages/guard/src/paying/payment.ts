import { decodeBase64Json, isRecord, toCaip2, X402_HEADERS } from '@touchstone402/shared'
import { SPONSORED } from './rewriteChallenge.ts'
import type { PaymentScheme, PaymentSchemes, SignedAuthorization } from './scheme.ts'

/** A payment decoded from a request header. */
export type OutgoingPayment = SignedAuthorization & {
  scheme: PaymentScheme
  /** CAIP-2. */
  network: string
  /** The accepted asset of a v2 payload; null in v1. */
  asset: string | null
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

/** Decodes a payment strictly; undefined if any part is invalid, or its scheme is not among the given ones. */
export function decodePayment(headers: Headers, schemes: PaymentSchemes): OutgoingPayment | undefined {
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
  if (network === undefined || (asset !== null && typeof asset !== 'string')) return undefined
  const scheme = readScheme(schemes, terms.scheme, version)
  if (carriesAllowance(document.extensions)) return undefined
  const signed = scheme?.readPayload(payload)
  return scheme && signed && { ...signed, scheme, network, asset }
}

function readScheme(schemes: PaymentSchemes, name: unknown, version: 1 | 2): PaymentScheme | undefined {
  if (name === 'exact') return schemes.exact
  return name === 'upto' && version === 2 ? schemes.upto : undefined
}

// A client repeats what the seller declares, but the guard lets no allowance out that a wallet has signed.
function carriesAllowance(extensions: unknown): boolean {
  if (!isRecord(extensions)) return false
  return SPONSORED.some((name) => {
    const extension = extensions[name]
    const info = isRecord(extension) && isRecord(extension.info) ? extension.info : {}
    return 'signature' in info || 'signedTransaction' in info
  })
}
