import { asObject, parseJson, sameAddress } from '@touchstone402/shared'
import type { GuardContext } from './guardContext.ts'
import { decodePayload } from './payment.ts'

// Source: MCP transport of x402, version 2; `credentialMetaKey` of mppx 0.11.
const X402 = 'x402/payment'
const MPP = 'org.paymentauth/credential'

/** Looks for payments in a JSON-RPC request, or a batch. Returns why one may not leave; undefined if there is none. */
export function findUnapproved(context: GuardContext, text: string): string | undefined {
  const metas = [readJson(text)].flat().map((one) => asObject(asObject(asObject(one)?.params)?._meta) ?? {})
  if (metas.some((meta) => MPP in meta)) return 'The guard reads MPP credentials of HTTP headers only.'
  const isUnapproved = metas.some((meta) => X402 in meta && !isSent(context, meta[X402]))
  return isUnapproved
    ? 'The body carries a payment that guard.hooks or guard.account has not approved.'
    : undefined
}

function readJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Whether a payment was approved, and recorded as sent when it was signed. */
function isSent({ ledger, schemes }: GuardContext, payload: unknown): boolean {
  const signed = decodePayload(payload, schemes)?.authorization
  if (signed === undefined) return false
  const { nonce, to, value } = signed
  return ledger.pending().some(({ authorization, payTo, amountAtomic }) => {
    return authorization?.nonce === nonce && sameAddress(payTo, to) && BigInt(amountAtomic) === value
  })
}
