import { asObject, decodeBase64Json } from '../base64Json.ts'
import { X402_HEADERS } from '../x402.ts'

/** A signed transfer, as a payment carries it. Its numbers are decimal text. */
export type SignedTransfer = {
  readonly from: string
  readonly to: string
  readonly value: string
  readonly validAfter: string
  readonly validBefore: string
  readonly nonce: string
  readonly signature: string
}

/**
 * Reads the transfer of a paid request of x402 (EIP-3009). Null without one.
 * Verifies nothing: what a seller accepts is the facilitator's to say.
 */
export function readTransfer(headers: Headers): SignedTransfer | null {
  const text = headers.get(X402_HEADERS.signature) ?? headers.get(X402_HEADERS.v1Payment)
  const payload = asObject(text === null ? undefined : decodeBase64Json(text)?.payload)
  const authorization = asObject(payload?.authorization)
  if (payload === undefined || authorization === undefined) return null
  const read = (name: string) => String(authorization[name])
  return {
    from: read('from'),
    to: read('to'),
    value: read('value'),
    validAfter: read('validAfter'),
    validBefore: read('validBefore'),
    nonce: read('nonce').toLowerCase(),
    signature: String(payload.signature),
  }
}
