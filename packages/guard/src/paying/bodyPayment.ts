import { asObject, encodeBase64Json, sameAddress, X402_HEADERS } from '@touchstone402/shared'
import { readBody } from '../readBody.ts'
import type { GuardContext } from './guardContext.ts'
import { identifyBody } from './identifyCall.ts'
import { findHolder } from './intents.ts'
import { decodePayment } from './payment.ts'
import { type CallRequest, copyBody, signalOf, untilAborted } from './request.ts'
import type { OutgoingPayment, PaymentHeader, PaymentSchemes } from './scheme.ts'
import { fitsPayment } from './takeIntent.ts'

// Source: specs/transports-v2/mcp.md, whose two bindings share one key; the draft of transport v3, which puts the payload
// into a member; `credentialMetaKey` of mppx 0.11.
const X402 = 'x402/payment'
const X402_DRAFT = 'org.x402/payment'
const MPP = 'org.paymentauth/credential'
// Or an escape, which may hide it.
const MAY_CARRY = /_meta|\\u00/

// No call of a tool with a payment is larger, or takes longer to read.
const MAX_BYTES = 4 * 1024 * 1024
const TIMEOUT_MS = 1000

/** Looks for payments in a JSON-RPC request, or a batch. Returns why one may not leave; undefined if there is none. */
export async function findUnapproved(
  context: GuardContext,
  request: CallRequest,
): Promise<string | undefined> {
  const text = await readText(request).catch(() => '')
  const metas = [readJson(text)].flat().map((one) => asObject(asObject(asObject(one)?.params)?._meta) ?? {})
  if (metas.some((meta) => MPP in meta)) return 'The guard reads MPP credentials of HTTP headers only.'
  const payloads = metas.flatMap(readPayloads)
  const body = payloads.length > 0 ? await identifyBody(request) : ''
  return payloads.some((payload) => !isSent(context, payload, body))
    ? 'The body carries a payment that guard.hooks or guard.account has not approved.'
    : undefined
}

/**
 * Returns a JSON-RPC request, or a batch, without what changes when it is sent again with a payment: its ids and the
 * members that carry payments. Undefined if the body is none.
 */
export async function readUnpaid(request: CallRequest): Promise<string | undefined> {
  const document = parse(await readText(request).catch(() => ''))
  const calls = [document].flat()
  if (!calls.every((one) => asObject(one)?.jsonrpc !== undefined)) return undefined
  const unpaid = calls.map((one) => {
    const { id: _, params, ...call } = asObject(one) ?? {}
    const { _meta, ...rest } = asObject(params) ?? {}
    const meta = Object.entries(asObject(_meta) ?? {}).filter(([name]) => !PAYMENTS.includes(name))
    return { ...call, params: asObject(params) === undefined ? params : rest, meta }
  })
  return JSON.stringify([Array.isArray(document), unpaid])
}

const PAYMENTS: readonly string[] = [X402, X402_DRAFT, MPP]

function readPayloads(meta: Record<string, unknown>): unknown[] {
  const { [X402]: payload, [X402_DRAFT]: draft } = meta
  const { paymentPayload = draft, ...others } = asObject(draft) ?? {}
  const isWhole = paymentPayload === draft || Object.keys(others).length === 0
  return [...(X402 in meta ? [payload] : []), ...(X402_DRAFT in meta ? [isWhole && paymentPayload] : [])]
}

/** Returns the text of a body that may be JSON by its type, if it has one, and can be read twice; empty otherwise. */
async function readText(request: CallRequest): Promise<string> {
  const { init, headers } = request
  if (typeof init?.body === 'string') return init.body
  const type = headers.get('content-type') ?? (init?.body instanceof Blob ? init.body.type : '')
  const copy = /^$|json|plain/i.test(type) ? copyBody(request) : null
  // The body of a Request may be a stream, which has no end in time.
  return copy ? untilAborted(signalOf(request), readBody(copy, MAX_BYTES, TIMEOUT_MS)) : ''
}

const readJson = (text: string): unknown => (MAY_CARRY.test(text) ? parse(text) : undefined)

function parse(text: string): unknown {
  try {
    // Without the byte order mark, which servers drop too. However deep: only the top is looked at.
    return JSON.parse(text.trim())
  } catch {
    return undefined
  }
}

/** Whether a payment was approved for this body, and recorded when it was signed. */
function isSent({ ledger, intents, schemes, now }: GuardContext, payload: unknown, body: string): boolean {
  const payment = decodePayload(payload, schemes)
  if (payment === undefined) return false
  const holder = findHolder(intents, payment.authorization)
  if (holder !== undefined) return fitsPayment(holder, payment, now()) && (holder.body ?? body) === body
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
