import { ADDRESS_PATTERN, decodeBase64Json, toCaip2 } from '@touchstone402/shared'
import type { Authorization } from './authorization.ts'

/** A payment on its way out, decoded from its header. */
export type OutgoingPayment = {
  x402Version: 1 | 2
  /** CAIP-2. */
  network: string
  /** What the v2 payload says it accepts: the asset, where v1 says nothing. */
  asset: string | null
  accepted: Readonly<Record<string, unknown>> | null
  authorization: Authorization
  signature: string
}

const MAX_HEADER = 64 * 1024
const UINT = /^(0|[1-9][0-9]{0,77})$/

/** Decodes an outgoing payment strictly; undefined where any part is not what the exact scheme makes. */
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
  const accepted = version === 2 ? asObject(document.accepted) : null
  if (accepted === undefined) return undefined
  const { scheme, network: declared } = accepted ?? document
  const network = typeof declared === 'string' ? toCaip2(declared, version) : undefined
  const asset = accepted?.asset ?? null
  if (scheme !== 'exact' || network === undefined) return undefined
  if (asset !== null && typeof asset !== 'string') return undefined
  const payload = asObject(document.payload)
  const authorization = readAuthorization(payload?.authorization)
  const signature = payload?.signature
  if (authorization === undefined || typeof signature !== 'string') return undefined
  // Permit2 payloads and others ride beside an authorization in no honest client.
  if (Object.keys(payload ?? {}).some((key) => key !== 'authorization' && key !== 'signature'))
    return undefined
  return { x402Version: version, network, asset, accepted, authorization, signature }
}

function readAuthorization(value: unknown): Authorization | undefined {
  const fields = asObject(value)
  if (fields === undefined) return undefined
  const { from, to, value: amount, validAfter, validBefore, nonce } = fields
  if (typeof from !== 'string' || !ADDRESS_PATTERN.test(from)) return undefined
  if (typeof to !== 'string' || !ADDRESS_PATTERN.test(to)) return undefined
  if (typeof nonce !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(nonce)) return undefined
  const numbers = [amount, validAfter, validBefore].map((text) =>
    typeof text === 'string' && UINT.test(text) ? BigInt(text) : undefined,
  )
  const [units, after, before] = numbers
  if (units === undefined || after === undefined || before === undefined) return undefined
  return { from, to, value: units, validAfter: after, validBefore: before, nonce }
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}
