import { asObject, encodeBase64Json, sameAddress, X402_HEADERS } from '@touchstone402/shared'
import type { GuardContext } from './guardContext.ts'
import { decodePayment } from './payment.ts'
import type { OutgoingPayment, PaymentHeader, PaymentSchemes } from './scheme.ts'

// Source: MCP transport of x402, version 2, and its later name; `credentialMetaKey` of mppx 0.11.
const X402 = ['x402/payment', 'org.x402/payment']
const MPP = 'org.paymentauth/credential'

/** Looks for payments in a JSON-RPC request, or a batch. Returns why one may not leave; undefined if there is none. */
export function findUnapproved(context: GuardContext, text: string): string | undefined {
  const metas = [readJson(text)].flat().map((one) => asObject(asObject(asObject(one)?.params)?._meta) ?? {})
  if (metas.some((meta) => MPP in meta)) return 'The guard reads MPP credentials of HTTP headers only.'
  const isUnapproved = metas.some((meta) => X402.some((key) => key in meta && !isSent(context, meta[key])))
  return isUnapproved
    ? 'The body carries a payment that guard.hooks or guard.account has not approved.'
    : undefined
}

function readJson(text: string): unknown {
  try {
    // Without the byte order mark, which servers drop too. However deep: only the top is looked at.
    return JSON.parse(text.trim())
  } catch {
    return undefined
  }
}

/** Whether a payment was approved, and recorded as sent when it was signed. */
function isSent({ ledger, schemes }: GuardContext, payload: unknown): boolean {
  const payment = decodePayload(payload, schemes)
  if (payment === undefined) return false
  const { nonce, from, to, value } = payment.authorization
  return ledger.pending().some(({ authorization: sent, network, payTo, amountAtomic }) => {
    const isSame = sent?.nonce === nonce && sameAddress(sent.from, from) && network === payment.network
    return isSame && sameAddress(payTo, to) && BigInt(amountAtomic) === value
  })
}

/** Returns the header in which a payload of x402 is sent. */
export function toPaymentHeader(payload: unknown): PaymentHeader {
  const isV2 = asObject(payload)?.x402Version === 2
  const header = isV2 ? X402_HEADERS.signature : X402_HEADERS.v1Payment
  return { header, value: encodeBase64Json(payload) }
}

/** Decodes a payload of x402 as {@link decodePayment} does its header. */
export function decodePayload(payload: unknown, schemes: PaymentSchemes): OutgoingPayment | undefined {
  const { header, value } = toPaymentHeader(payload)
  return decodePayment(new Headers({ [header]: value }), schemes)
}
