import { misconfigured } from '../errors.ts'
import type { GuardContext } from './guardContext.ts'
import { holdsUntil, intentOf } from './pendingPayment.ts'
import { judgeAnswer } from './sendPayment.ts'
import { recordSettlement } from './settlement.ts'

/**
 * The answer to a request that carried an approved payment.
 * @example
 * const answer: PaidResponse = { status: 200, headers: {}, body: '{"weather":"sunny"}' }
 */
export type PaidResponse = {
  /** HTTP status, 200-599. */
  status: number
  /** A Headers object, or a record of names and values. */
  headers: Headers | Record<string, unknown>
  /** The body as text, bytes, or parsed. Absent, null or empty counts as no delivery. */
  body?: unknown
}

/** Records the answer to a payment that another transport sent; see `guard.report`. */
export async function reportAnswer(
  context: GuardContext,
  paymentId: string,
  answer: PaidResponse | null,
): Promise<void> {
  const { ledger, intents } = context
  await ledger.refresh()
  const entry = ledger.find(paymentId)
  if (entry === undefined || entry.authorization === null) {
    throw misconfigured(`report: no payment ${paymentId} that was signed`)
  }
  const response = answer === null ? null : toResponse(answer)
  if (response === undefined)
    throw misconfigured('report: expected a status from 200 to 599, and valid headers')
  const open = intents.find(paymentId)
  if (open !== undefined) intents.withdraw(open)
  const unseen = { intent: intentOf(context, entry), verdict: null, traceparent: null }
  const { intent, verdict, traceparent } = open ?? unseen
  const sent = { intent, verdict, traceparent, reservation: paymentId }
  if (response !== null) return void (await (await judgeAnswer(context, sent, response)).arrayBuffer())
  await ledger.update(paymentId, { delivered: false })
  await recordSettlement(context, sent, null)
}

/** Ends the retries of a payment; see `guard.resolve`. */
export async function resolvePayment(
  context: GuardContext,
  id: string,
  outcome: 'lost' | 'delivered',
): Promise<void> {
  const { ledger, now } = context
  await ledger.refresh()
  const entry = ledger.find(id)
  if (entry === undefined || entry.answered) throw misconfigured(`resolve: no unresolved payment ${id}`)
  // A second authorization beside one that can still be collected would pay twice.
  if (outcome === 'lost' && now() < holdsUntil(context, entry))
    throw misconfigured('resolve: not expired yet')
  if (outcome === 'delivered') await ledger.update(id, { delivered: true })
  await ledger.update(id, { answered: true })
}

function toResponse({ status, headers: given, body }: PaidResponse): Response | undefined {
  const fields = given instanceof Headers ? [...given] : Object.entries(Object(given))
  const isEmpty = body === undefined || body === null || body === '' || status === 204 || status === 304
  const content = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  try {
    const headers = new Headers()
    for (const [name, value] of fields) headers.set(name, String(value))
    // The body is the one that was received, not the one that was sent.
    for (const name of ['content-length', 'content-encoding']) headers.delete(name)
    return new Response(isEmpty ? null : (content as BodyInit), { status, headers })
  } catch {
    return undefined
  }
}
