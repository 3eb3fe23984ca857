import { decodeBase64Json } from '@touchstone402/shared'
import { createEvent } from '../events.ts'
import type { LedgerUpdate } from '../ledger/ledger.ts'
import type { Authorization } from './authorization.ts'
import type { GuardContext } from './guardContext.ts'
import type { OpenIntent } from './intents.ts'

/** What an endpoint says about the settlement of a payment. */
export type Receipt = { transaction: string | null }

const MAX_HEADER = 16 * 1024

/** Reads a settlement header; null where it does not say that the payment went through. */
export function readReceipt(header: string | null): Receipt | null {
  return toReceipt(header === null || header.length > MAX_HEADER ? undefined : decodeBase64Json(header))
}

/** Reads a decoded settlement. It can lie; for the budget that makes no difference. */
export function toReceipt(settlement: unknown): Receipt | null {
  if (typeof settlement !== 'object' || settlement === null) return null
  if (Reflect.get(settlement, 'success') !== true) return null
  const transaction: unknown = Reflect.get(settlement, 'transaction')
  const isHash = typeof transaction === 'string' && /^0x[0-9a-fA-F]{64}$/.test(transaction)
  return { transaction: isHash ? transaction : null }
}

/**
 * Records that an authorization may leave from here on, before it can: a process that dies in between must not forget
 * the spending. Several seats may see the same one, and it counts once.
 */
export async function recordSent(
  context: GuardContext,
  open: OpenIntent,
  authorization: Authorization,
): Promise<void> {
  const isFirst = open.signed === null
  open.signed = authorization
  await context.ledger.update(open.reservation, toSent(authorization))
  if (isFirst) context.count('paid')
}

/** What the ledger keeps of an authorization that leaves. */
export function toSent({ from, nonce, validBefore }: Authorization) {
  return { state: 'sent', authorization: { from, nonce, validBefore: validBefore.toString() } } as const
}

/** Records what became of a payment that has left: settled, or not known and therefore spent. */
export async function recordSettlement(
  context: GuardContext,
  open: Pick<OpenIntent, 'intent' | 'verdict' | 'reservation' | 'traceparent'>,
  receipt: Receipt | null,
): Promise<void> {
  const { intent, verdict, traceparent, reservation } = open
  const change: LedgerUpdate =
    receipt === null ? { state: 'unknown' } : { state: 'committed', transaction: receipt.transaction }
  // The ledger counts it as spent since before it left, and a ledger that fails reserves nothing more: what was
  // paid for is not withheld from the caller on top of that.
  await context.ledger.update(reservation, change).catch(() => {})
  context.emit(
    createEvent({
      type: receipt === null ? 'unsettled' : 'settled',
      at: context.now(),
      endpoint: intent.endpoint,
      method: intent.method,
      intent,
      verdict,
      transaction: receipt?.transaction ?? null,
      traceparent,
    }),
  )
}
