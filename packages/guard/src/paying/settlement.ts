import { decodeBase64Json, isRecord, X402_HEADERS } from '@touchstone402/shared'
import type { LedgerUpdate, StoredPayment } from '../ledger/ledger.ts'
import { isHash } from '../ledger/transactionHash.ts'
import type { Approval } from './approvals.ts'
import { type GuardContext, refuse } from './guardContext.ts'
import type { Authorization } from './signatures/authorization.ts'

/** The endpoint's claim that a payment settled. */
export type Receipt = {
  transaction: string | null
  /** The decoded settlement. */
  settlement: Record<string, unknown>
}

/** The answer to a payment that has left: for which payment it is, and for which call. */
export type Answer = Pick<Approval, 'paymentId' | 'intent' | 'verdict' | 'traceparent'> &
  Partial<Pick<Approval, 'asked' | 'audience' | 'requestedUrl' | 'liveCheck'>> & {
    /** Set if the payment was sent again: whether no other request carries it at the same time. */
    isFirst?: boolean
    /** Whether an earlier call was charged for it. @default false */
    isRepeat?: boolean
  }

const MAX_HEADER = 16 * 1024

const MPP_RECEIPT = 'PAYMENT-RECEIPT'

/** Headers by which a seller claims that a payment settled, of x402 and MPP. */
export const RECEIPT_HEADERS = [X402_HEADERS.response, X402_HEADERS.v1Response, MPP_RECEIPT]

/** Reads the settlement header of a response; null if it claims no success. */
export function readReceipt(headers: Headers): Receipt | null {
  const name = RECEIPT_HEADERS.find((one) => headers.has(one))
  const header = name === undefined ? null : headers.get(name)
  const document = header === null || header.length > MAX_HEADER ? undefined : decodeBase64Json(header)
  if (name !== MPP_RECEIPT || document?.status !== 'success') return toReceipt(document)
  return toReceipt({ success: true, transaction: document.reference })
}

/** Reads a decoded settlement. A false claim does not affect the budget. */
export function toReceipt(settlement: unknown): Receipt | null {
  if (!isRecord(settlement) || settlement.success !== true) return null
  const { transaction } = settlement
  return { transaction: isHash(transaction) ? transaction : null, settlement }
}

/**
 * Records an authorization that leaves the guard, before it does: from then on only expiry frees its amount. Where the guard
 * does not see the payment leave, it counts as sent. `payment` is kept for a retry.
 */
export async function handOut(
  context: GuardContext,
  open: Approval,
  authorization: Authorization,
  payment?: StoredPayment,
): Promise<void> {
  await recordLeaving(context, open, open.isSeen ? 'handedOut' : 'sent', authorization, payment)
}

/** Ends an approval whose payment the guard does not send although it is signed. With `payment` a retry may send it. */
export async function withhold(
  context: GuardContext,
  open: Approval,
  authorization: Authorization,
  payment?: StoredPayment,
): Promise<void> {
  context.approvals.withdraw(open)
  // A failing ledger refuses further reservations, and the amount counts already.
  await handOut(context, open, authorization, payment).catch(() => {})
  context.flights.land(open.paymentId)
}

/**
 * Records a payment before it leaves, so that a crash does not lose the spending. A payment that several integrations see
 * counts once. `payment` is kept for a retry.
 */
export async function recordLeaving(
  context: GuardContext,
  open: Approval,
  state: 'handedOut' | 'sent',
  authorization: Authorization,
  payment?: StoredPayment,
): Promise<void> {
  const isFirst = !isOut(context, open)
  open.signed = authorization
  const { from, nonce, validBefore } = authorization
  const signed = { from, nonce, validBefore: validBefore.toString() }
  await updateSent(context, open, { state, authorization: signed, payment })
  // An approval that was released meanwhile pays for nothing.
  const entry = context.ledger.find(open.paymentId)
  const { intent, verdict, traceparent } = open
  if (entry === undefined || entry.state === 'released' || entry.authorization?.nonce !== nonce)
    throw refuse(context, 'NO_INTENT', { intent, verdict, traceparent })
  if (authorization.channel !== undefined) context.schemes.mpp?.opened(authorization.channel, open.url)
  if (payment !== undefined) context.flights.keep(open.paymentId, payment)
  if (isFirst) context.count('paid')
}

/** Whether a signature for an approval has left the guard. */
export function isOut(
  { ledger }: Pick<GuardContext, 'ledger'>,
  { paymentId }: Pick<Approval, 'paymentId'>,
): boolean {
  return ledger.find(paymentId)?.authorization != null
}

/** Writes an update without which a payment must not leave. @throws PaymentBlockedError LEDGER_FAILED */
export async function updateSent(
  context: GuardContext,
  { paymentId, intent, verdict, traceparent }: Answer,
  change: LedgerUpdate,
): Promise<void> {
  await context.ledger.update(paymentId, change).catch((cause) => {
    throw refuse(context, 'LEDGER_FAILED', { cause, intent, verdict, traceparent })
  })
}

/** Whether a challenge or a settlement carries an extension of x402. */
export function hasExtension(document: unknown, name: string): boolean {
  return isRecord(document) && isRecord(document.extensions) && name in document.extensions
}

/** Records whether a sent payment settled. Without a receipt its state is unknown and it counts as spent. */
export async function recordSettlement(
  context: GuardContext,
  answer: Answer,
  receipt: Receipt | null,
): Promise<void> {
  const { intent, verdict, traceparent, paymentId } = answer
  const transaction = receipt?.transaction ?? null
  const payer = context.ledger.find(paymentId)?.authorization?.from
  // Loaded with the first signed receipt, since few sellers sign.
  const isSigned = receipt !== null && hasExtension(receipt.settlement, 'offer-receipt')
  const { readSignedReceipt } = isSigned ? await import('./offerReceipt.ts') : {}
  const signed =
    receipt && (await readSignedReceipt?.(receipt.settlement, intent, payer, transaction, context.keepUrls))
  const change: LedgerUpdate =
    receipt === null
      ? { state: 'unknown' }
      : { state: 'settled', by: 'seller', transaction, ...(signed && { receipt: signed }) }
  // The amount counts as spent already, and a failing ledger refuses further reservations. The caller still gets
  // the paid response.
  await context.ledger.update(paymentId, change).catch(() => {})
  const type = receipt === null ? 'unsettled' : 'settled'
  context.emit({ type, intent, verdict, transaction, receipt: signed, traceparent })
}

/** Ends an approval of which no signature left the guard, and releases its amount. */
export async function releaseApproval(context: GuardContext, open: Approval): Promise<void> {
  const { approvals, ledger, flights } = context
  approvals.withdraw(open)
  await ledger.update(open.paymentId, { state: 'unsigned' }).catch(() => {})
  flights.land(open.paymentId)
}
