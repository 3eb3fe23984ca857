import { decodeBase64Json, isRecord, toCaip2 } from '@touchstone402/shared'
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

const MAX_HEADER = 64 * 1024

/** Decodes a payment of the exact scheme strictly; undefined if any part is invalid. */
export function decodePayment(headers: {
  v1: string | null
  v2: string | null
}): OutgoingPayment | undefined {
  if (headers.v1 !== null && headers.v2 !== null) return undefined
  const version = headers.v2 === null ? 1 : 2
  const text = headers.v2 ?? headers.v1
  if (text === null || text.length > MAX_HEADER) return undefined
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
