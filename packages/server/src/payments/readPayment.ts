import { asObject, decodeBase64Json, sameAddress } from '@touchstone402/shared'
import type { FacilitatorCall } from './facilitator.ts'
import type { Terms } from './terms.ts'

/** A payment whose fields match the terms; its signature, time and state on chain are unchecked. Hex is lower case. */
export type Payment = {
  readonly version: 1 | 2
  readonly from: `0x${string}`
  readonly to: `0x${string}`
  readonly value: bigint
  /** Unix time in seconds. */
  readonly validAfter: number
  readonly validBefore: number
  readonly nonce: `0x${string}`
  readonly signature: `0x${string}`
  /** Call for the facilitator, rebuilt from checked fields so that nothing else passes through. */
  readonly call: FacilitatorCall
}

// Node refuses larger headers anyway; keep the bound where the parsing is.
const MAX_HEADER = 16 * 1024
const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const NONCE = /^0x[0-9a-fA-F]{64}$/
const SIGNATURE = /^0x(?:[0-9a-fA-F]{2}){65,4096}$/
const AMOUNT = /^(0|[1-9][0-9]{0,77})$/
// Twelve digits last for 30,000 years.
const SECONDS = /^(0|[1-9][0-9]{0,11})$/

/** Parses a payment header. Returns the payment, or an error identifier if it does not match the terms. */
export function readPayment(header: string, version: 1 | 2, terms: Terms): Payment | string {
  const document = header.length > MAX_HEADER ? undefined : decodeBase64Json(header)
  if (document === undefined) return 'invalid_payload'
  if (document.x402Version !== version) return 'invalid_x402_version'
  const mismatch = version === 1 ? checkV1(document, terms) : checkV2(document, terms)
  if (mismatch !== undefined) return mismatch
  const payload = asObject(document.payload)
  const authorization = asObject(payload?.authorization)
  if (payload === undefined || authorization === undefined) return 'invalid_payload'
  const { signature } = payload
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  if (!matches(signature, SIGNATURE) || !matches(from, ADDRESS) || !matches(to, ADDRESS))
    return 'invalid_payload'
  if (!matches(value, AMOUNT) || !matches(nonce, NONCE)) return 'invalid_payload'
  if (!matches(validAfter, SECONDS)) return 'invalid_exact_evm_payload_authorization_valid_after'
  if (!matches(validBefore, SECONDS)) return 'invalid_exact_evm_payload_authorization_valid_before'
  if (!sameAddress(to, terms.payTo)) return 'invalid_exact_evm_payload_recipient_mismatch'
  if (value !== terms.amountAtomic) return 'invalid_exact_evm_payload_authorization_value'
  const checked = { signature, authorization: { from, to, value, validAfter, validBefore, nonce } }
  return {
    version,
    from: toLowerHex(from),
    to: toLowerHex(to),
    value: BigInt(value),
    validAfter: Number(validAfter),
    validBefore: Number(validBefore),
    nonce: toLowerHex(nonce),
    signature: `0x${signature.slice(2)}`,
    call: version === 1 ? callV1(checked, terms) : callV2(checked, terms),
  }
}

function checkV1(document: Record<string, unknown>, terms: Terms): string | undefined {
  if (document.scheme !== 'exact') return 'invalid_scheme'
  if (document.network !== terms.v1Network) return 'invalid_network'
  return undefined
}

function checkV2(document: Record<string, unknown>, terms: Terms): string | undefined {
  const accepted = asObject(document.accepted)
  if (accepted === undefined) return 'invalid_payload'
  if (accepted.scheme !== 'exact') return 'invalid_scheme'
  if (accepted.network !== terms.network) return 'invalid_network'
  const { asset, payTo, amount } = accepted
  if (typeof asset !== 'string' || typeof payTo !== 'string') return 'invalid_payload'
  if (!sameAddress(asset, terms.asset) || !sameAddress(payTo, terms.payTo) || amount !== terms.amountAtomic) {
    return 'invalid_payment_requirements'
  }
  return undefined
}

type Checked = { signature: string; authorization: Record<string, string> }

function callV1(payload: Checked, terms: Terms): FacilitatorCall {
  return {
    payload: { x402Version: 1, scheme: 'exact', network: terms.v1Network, payload },
    requirements: terms.v1,
  }
}

function callV2(payload: Checked, terms: Terms): FacilitatorCall {
  const { resource, v2: accepted, extensions } = terms
  return { payload: { x402Version: 2, resource, accepted, payload, extensions }, requirements: accepted }
}

function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value)
}

function toLowerHex(text: string): `0x${string}` {
  return `0x${text.slice(2).toLowerCase()}`
}
