import { asObject, decodeBase64Json } from '@touchstone402/shared'
import { findPayments } from '../../paying/payment.ts'

/** Returns how long the payments of a request leave the seller for its answer, ms; 0 without one. */
export function paymentWaitMs(headers: Headers, body: Buffer | null, now: number): number {
  const inHeaders = findPayments(headers).map(({ value }) => decodeBase64Json(value.replace(/^.*\s/, '')))
  return Math.max(0, ...[...inHeaders, ...readMeta(body)].map((payment) => validMs(payment ?? {}, now)))
}

/** Returns what may be a payment in the `_meta` of a JSON-RPC request. */
function readMeta(body: Buffer | null): (Record<string, unknown> | undefined)[] {
  if (!body?.includes('"_meta"')) return []
  try {
    const { params } = JSON.parse(body.toString())
    const values = Object.values(asObject(asObject(params)?._meta) ?? {}).map(asObject)
    return [...values, ...values.map((value) => asObject(value?.paymentPayload))]
  } catch {
    return []
  }
}

/** Returns how long a payment of x402 or MPP is valid, ms; 0 if it does not say. */
function validMs({ accepted, payload, challenge }: Record<string, unknown>, now: number): number {
  const seconds = asObject(accepted)?.maxTimeoutSeconds
  if (typeof seconds === 'number') return seconds * 1000
  const { authorization, permit2Authorization, validBefore } = asObject(payload) ?? {}
  const ends = [
    Number(asObject(authorization)?.validBefore) * 1000,
    Number(asObject(permit2Authorization)?.deadline) * 1000,
    Number(validBefore) * 1000,
    Date.parse(String(asObject(challenge)?.expires)),
  ]
  return (ends.find((end) => end > 0) ?? now) - now
}
