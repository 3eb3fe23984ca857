import { asObject, decodeBase64Json } from '../base64Json.ts'
import { X402_HEADERS } from '../x402.ts'

/** A signed transfer, as a payment carries it. Its numbers are decimal text. */
export type SignedTransfer = {
  /** By `upto` less than the value may be collected. */
  readonly scheme: 'exact' | 'upto'
  readonly from: string
  readonly to: string
  readonly value: string
  readonly validAfter: string
  readonly validBefore: string
  /** 0x and 64 hexadecimal digits in lower case. */
  readonly nonce: string
  readonly signature: string
}

/**
 * Reads the transfer of a paid request of x402: EIP-3009, or Permit2 of the scheme upto. Null without one.
 * Verifies nothing: what a seller accepts is the facilitator's to say.
 */
export function readTransfer(headers: Headers): SignedTransfer | null {
  const text = headers.get(X402_HEADERS.signature) ?? headers.get(X402_HEADERS.v1Payment)
  const payload = asObject(text === null ? undefined : decodeBase64Json(text)?.payload)
  const signature = String(payload?.signature)
  const authorization = asObject(payload?.authorization)
  if (authorization !== undefined) return { scheme: 'exact', ...readAuthorization(authorization), signature }
  const permit = asObject(payload?.permit2Authorization)
  return permit === undefined ? null : { scheme: 'upto', ...readPermit(permit), signature }
}

function readAuthorization(given: Record<string, unknown>) {
  const read = (name: string) => String(given[name])
  return {
    from: read('from'),
    to: read('to'),
    value: read('value'),
    validAfter: read('validAfter'),
    validBefore: read('validBefore'),
    nonce: read('nonce').toLowerCase(),
  }
}

function readPermit({ from, permitted, witness, deadline, nonce }: Record<string, unknown>) {
  const receiver = asObject(witness)
  return {
    from: String(from),
    to: String(receiver?.to),
    value: String(asObject(permitted)?.amount),
    validAfter: String(receiver?.validAfter),
    validBefore: String(deadline),
    nonce: toNonce(String(nonce)),
  }
}

/** Writes a decimal nonce of Permit2 as EIP-3009 writes its own. */
export const toNonce = (decimal: string): string => `0x${BigInt(decimal).toString(16).padStart(64, '0')}`
