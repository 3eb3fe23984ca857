import { decodeBase64Json, isRecord, toCaip2, X402_HEADERS } from '@touchstone402/shared'
import { noHeaders } from './calls/request.ts'
import { SPONSORED } from './challenge.ts'
import type { PaymentHeader, PaymentScheme, PaymentSchemes, SignedPayment } from './scheme.ts'

// Sellers look for the scheme after commas too. Other headers may hold any text, so there a credential must look like one.
const PAYMENT = /(^|,)\s*payment\s/i
const TOKEN = /(^|,)\s*payment\s+eyJ/i
const X402_NAMES: readonly string[] = [X402_HEADERS.signature, X402_HEADERS.v1Payment]

/** Returns the headers of a request that carry a payment of x402 or MPP. */
export function findPayments(headers: Headers): PaymentHeader[] {
  const found: PaymentHeader[] = []
  headers.forEach((value, name) => {
    // Some servers read an underscore as a hyphen.
    const x402 = X402_NAMES.find((one) => one.toLowerCase() === name.replaceAll('_', '-'))
    if (x402 !== undefined) found.push({ header: x402, value })
    else if ((name === 'authorization' ? PAYMENT : TOKEN).test(value)) found.push({ header: name, value })
  })
  return found
}

/** Whether a request carries a payment. */
export function carriesPayment(headers: Headers): boolean {
  return headers !== noHeaders() && findPayments(headers).length > 0
}

/** Whether the first payment of a request is one of x402. */
export function carriesX402(headers: Headers): boolean {
  return X402_NAMES.includes(readPaymentHeader(headers).header)
}

/** Returns the header that carries the payment of a request. */
export function readPaymentHeader(headers: Headers): PaymentHeader {
  return findPayments(headers)[0] ?? { header: X402_HEADERS.v1Payment, value: '' }
}

const MAX_HEADER = 64 * 1024

/** Decodes a payment strictly; undefined if any part is invalid, or its scheme is not among the given ones. */
export function decodePayment(headers: Headers, schemes: PaymentSchemes): SignedPayment | undefined {
  const [found, ...others] = findPayments(headers)
  if (found === undefined || others.length > 0 || found.value.length > MAX_HEADER) return undefined
  return X402_NAMES.includes(found.header) ? decodeX402(found, schemes) : schemes.mpp?.decode(found)
}

function decodeX402(
  { header, value: text }: PaymentHeader,
  schemes: PaymentSchemes,
): SignedPayment | undefined {
  const version = header === X402_HEADERS.signature ? 2 : 1
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
