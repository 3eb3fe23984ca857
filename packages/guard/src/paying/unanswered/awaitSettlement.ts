import { decodeBase64Json, X402_HEADERS } from '@touchstone402/shared'
import { isHash } from '../../ledger/transactionHash.ts'
import { type CallRequest, copyRequest } from '../calls/request.ts'
import type { GuardContext } from '../guardContext.ts'
import { checkResend } from '../pendingPayment.ts'
import type { Answer } from '../settlement.ts'

/** Waits between re-sends of a payment in ms, unless the seller names others. */
const WAITS_MS = [1000, 2000, 4000, 8000]
const SHORTEST_MS = 500
const LONGEST_MS = 10_000

/** How an exchange waits, and sends its payment once more. */
type Repeat = { wait(ms: number): Promise<unknown>; send(request: CallRequest): Promise<Response> }

/**
 * Sends a payment again while its 402 reports a pending settlement: the same authorization, whose nonce settles
 * once. Ends at an answer, at the last wait, before the authorization expires, or if the policy has come to deny it.
 * @returns the last answer
 */
export async function awaitSettlement(
  context: GuardContext,
  { paymentId, traceparent }: Answer,
  response: Response,
  request: CallRequest | undefined,
  { wait, send }: Repeat,
): Promise<Response> {
  let [last, next] = [response, request]
  for (const usualMs of WAITS_MS) {
    const entry = context.ledger.find(paymentId)
    if (next === undefined || entry === undefined || !isPending(last)) return last
    const waitMs = readRetryAfter(last.headers, context.now()) ?? usualMs
    const end = Number(entry.authorization?.validBefore ?? 0) * 1000
    if (context.now() + waitMs >= end) return last
    await wait(waitMs)
    const facts = await checkResend(context, entry, entry.endpoint, traceparent).catch(() => null)
    if (facts === null) return last
    last.body?.cancel().catch(() => {})
    context.emit({ type: 'resent', ...facts, traceparent })
    const copy = copyRequest(next)
    last = await send(next)
    next = copy
  }
  return last
}

/** Source: `isRetryableSettlementPendingResult` of @x402/core 2.27; the stock server puts it into the header of a 402. */
function isPending({ status, headers }: Response): boolean {
  const header = headers.get(X402_HEADERS.response) ?? headers.get(X402_HEADERS.v1Response)
  const { success, errorReason, transaction } = (header && decodeBase64Json(header)) || {}
  return status === 402 && success === false && errorReason === 'settlement_pending' && isHash(transaction)
}

/** Reads `Retry-After`, in seconds or as a date, within bounds. Source: RFC 9110, section 10.2.3. */
function readRetryAfter(headers: Headers, now: number): number | undefined {
  const text = headers.get('retry-after') ?? ''
  const waitMs = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, SHORTEST_MS), LONGEST_MS)
}
