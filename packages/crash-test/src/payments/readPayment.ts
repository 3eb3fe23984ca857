import { ADDRESS_PATTERN, ATOMIC_PATTERN, asObject, decodeBase64Json } from '@touchstone402/shared'
import type { Address, Hex } from 'viem'

/** A transfer authorization as it came in a header. Nothing in it is verified. */
export type SentPayment = {
  from: Address
  to: Address
  value: bigint
  validAfter: bigint
  validBefore: bigint
  nonce: Hex
  signature: Hex
}

/** A voucher of an MPP session as it came in a header: the channel may pay this much in all. Nothing in it is verified. */
export type SentVoucher = { channelId: Hex; cumulativeAmount: bigint; signature: Hex }

/** A payment header: an authorization or a voucher, or at least the payer that it names. */
export type ReadPayment = {
  payer: string | null
  sent: SentPayment | null
  voucher: SentVoucher | null
  /** Channel of an MPP session, and what its credential asks for, such as `open`. */
  session: { action: unknown; channelId: string } | null
}

const MAX_HEADER = 16_384
const HEX32 = /^0x[0-9a-fA-F]{64}$/
const SIGNATURE = /^0x[0-9a-fA-F]{130}$/

/** Reads a payment header of x402 v1 or v2, or a credential of MPP. Returns null if it is no payment. */
export function readPayment(header: string): ReadPayment | null {
  if (header.length > MAX_HEADER) return null
  const [, credential] = /^payment\s+([\w-]+)$/i.exec(header) ?? []
  const payload = asObject(decodeBase64Json(credential ?? header)?.payload)
  if (payload === undefined) return null
  // MPP has the authorization in place of the payload.
  const authorization = credential === undefined ? asObject(payload.authorization) : payload
  const other = asObject(payload.permit2Authorization)
  const from = authorization?.from ?? other?.from ?? asObject(payload.descriptor)?.payer
  const payer = typeof from === 'string' ? from : null
  return {
    payer,
    sent: authorization === undefined ? null : readAuthorization(authorization, payload.signature),
    voucher: readVoucher(payload),
    session:
      payload.action === undefined ? null : { action: payload.action, channelId: String(payload.channelId) },
  }
}

function readVoucher({
  channelId,
  cumulativeAmount,
  signature,
}: Record<string, unknown>): SentVoucher | null {
  const isRight =
    HEX32.test(String(channelId)) &&
    ATOMIC_PATTERN.test(String(cumulativeAmount)) &&
    SIGNATURE.test(String(signature))
  if (!isRight) return null
  const amount = BigInt(String(cumulativeAmount))
  return { channelId: channelId as Hex, cumulativeAmount: amount, signature: signature as Hex }
}

function readAuthorization(fields: Record<string, unknown>, signature: unknown): SentPayment | null {
  const { from, to, nonce } = fields
  const numbers = [fields.value, fields.validAfter, fields.validBefore].map(String)
  const isRight =
    [from, to].every((address) => typeof address === 'string' && ADDRESS_PATTERN.test(address)) &&
    numbers.every((number) => ATOMIC_PATTERN.test(number)) &&
    HEX32.test(String(nonce)) &&
    SIGNATURE.test(String(signature))
  if (!isRight) return null
  const [value = 0n, validAfter = 0n, validBefore = 0n] = numbers.map(BigInt)
  return {
    value,
    validAfter,
    validBefore,
    from: from as Address,
    to: to as Address,
    nonce: String(nonce).toLowerCase() as Hex,
    signature: String(signature) as Hex,
  }
}
