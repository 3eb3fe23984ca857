import { asObject, encodeBase64Json, sameAddress, X402_HEADERS } from '@touchstone402/shared'
import { readBytes } from '../readBody.ts'
import { readUrl } from '../readUrl.ts'
import { type Approval, findHolder } from './approvals.ts'
import { callOf, identifyBody } from './calls/identifyCall.ts'
import { type CallRequest, copyBody } from './calls/request.ts'
import { BODY_LIMITS, isUnambiguous, MPP, parseBody, readText, X402, X402_DRAFT } from './calls/rpcBody.ts'
import type { GuardContext } from './guardContext.ts'
import { decodePayment } from './payment.ts'
import type { PaymentHeader, PaymentSchemes, SignedPayment } from './scheme.ts'
import { recordLeaving } from './settlement.ts'
import { fitsPayment } from './takeApproval.ts'

// Or an escape, which may hide it.
const MAY_CARRY = /_meta|\\u00/

/**
 * Looks for payments in a JSON-RPC request, or a batch, and records them as sent. Returns why one may not leave; undefined
 * if all may.
 */
export async function findUnapproved(
  context: GuardContext,
  request: CallRequest,
): Promise<string | undefined> {
  const text = await readText(request).catch(() => '')
  if (await mayHide(context, request, text)) return HIDDEN
  const metas = [readJson(text)].flat().map((one) => asObject(asObject(asObject(one)?.params)?._meta) ?? {})
  if (metas.some((meta) => MPP in meta)) return 'The guard reads MPP credentials of HTTP headers only.'
  const payloads = metas.flatMap(readPayloads)
  const body = payloads.length > 0 ? await identifyBody(request) : ''
  for (const payload of payloads) {
    const payment = decodePayload(payload, context.schemes)
    const open = payment && findApproval(context, request, payment, body)
    if (payment === undefined || open === undefined) return NOT_APPROVED
    if (open !== null) await recordLeaving(context, open, 'sent', payment.authorization)
  }
  return undefined
}

const HIDDEN =
  'The body may carry a payment in a form that the guard does not read: send plain JSON in UTF-8.'
const CARRIES = /x402\/payment|paymentauth|\\u00/

/** Whether a body of an agent that holds a signature may carry it in a form that servers read and the guard does not. */
async function mayHide({ ledger, cap }: GuardContext, request: CallRequest, text: string): Promise<boolean> {
  if (cap.agent === null) return false
  if (!ledger.pending().some(({ agent, state }) => agent === cap.agent && state === 'handedOut')) return false
  const copy = copyBody(request)
  if (!copy?.body) return false
  if (!/^(identity)?$/i.test(request.headers.get('content-encoding') ?? '')) return true
  const bytes = await readBytes(copy, ...BODY_LIMITS).catch(() => null)
  // Without the zeros of UTF-16 and UTF-32.
  const plain = bytes && new TextDecoder('latin1').decode(bytes).replaceAll('\0', '')
  return plain === null || (CARRIES.test(plain) && !isUnambiguous(text))
}

const NOT_APPROVED =
  'The body carries a payment that guard.hooks or guard.account has not approved for this call.'

function readPayloads(meta: Record<string, unknown>): unknown[] {
  const { [X402]: payload, [X402_DRAFT]: draft } = meta
  const { paymentPayload = draft, ...others } = asObject(draft) ?? {}
  const isWhole = paymentPayload === draft || Object.keys(others).length === 0
  return [...(X402 in meta ? [payload] : []), ...(X402_DRAFT in meta ? [isWhole && paymentPayload] : [])]
}

const readJson = (text: string): unknown => (MAY_CARRY.test(text) ? parseBody(text) : undefined)

/**
 * Finds the approval of a payment in a body: for this method, URL and body, and recorded when it was signed. Null after the
 * approval is over, while the payment is unresolved; undefined if there is none.
 */
function findApproval(
  { ledger, approvals, now, cap }: GuardContext,
  { method, url }: CallRequest,
  payment: SignedPayment,
  body: string,
): Approval | null | undefined {
  const holder = findHolder(approvals, payment.authorization)
  if (holder !== undefined) {
    const isOfCall = approvals.ofCall(method, url).includes(holder) && (holder.body ?? body) === body
    return isOfCall && fitsPayment(holder, payment, now()) ? holder : undefined
  }
  // The body is no longer known, and an agent might send another one.
  if (cap.agent !== null) return undefined
  const { nonce, from, to, value } = payment.authorization
  const isSent = ledger
    .pending()
    .some(({ authorization: sent, agent, call, network, payTo, amountAtomic }) => {
      const isSame = sent?.nonce === nonce && sameAddress(sent.from, from) && network === payment.network
      const isHere = agent === null && call === callOf(method, url, keyOf(url))
      return isSame && isHere && sameAddress(payTo, to) && BigInt(amountAtomic) === value
    })
  return isSent ? null : undefined
}

function keyOf(url: string): string {
  const canonical = readUrl(url)
  return typeof canonical === 'string' ? url : canonical.key
}

/** Returns the header in which a payload of x402 is sent. */
export function toPaymentHeader(payload: unknown): PaymentHeader {
  const isV2 = asObject(payload)?.x402Version === 2
  const header = isV2 ? X402_HEADERS.signature : X402_HEADERS.v1Payment
  return { header, value: encodeBase64Json(payload) }
}

/** Decodes a payload of x402 as {@link decodePayment} does its header. */
export function decodePayload(payload: unknown, schemes: PaymentSchemes): SignedPayment | undefined {
  const { header, value } = toPaymentHeader(payload)
  return decodePayment(new Headers({ [header]: value }), schemes)
}
