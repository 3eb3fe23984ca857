import { GRACE_MS } from '../../ledger/exposure.ts'
import type { Payment } from '../../ledger/ledger.ts'
import type { GuardContext } from '../guardContext.ts'
import { holdsUntil, refusePending } from '../paymentFacts.ts'

/**
 * Resolves a payment that has expired without an answer: by the chain, or ten minutes after its expiry, after which its
 * call may be paid again.
 * @throws PaymentBlockedError PAYMENT_SETTLED or PAYMENT_UNRESOLVED
 */
export async function resolveExpired(
  context: GuardContext,
  entry: Payment,
  traceparent: string | null,
): Promise<void> {
  const state = entry.state === 'settled' ? 'settled' : await readChain(context, entry)
  if (state === 'unused') return
  if (state === 'settled') throw refusePending(context, entry, 'PAYMENT_SETTLED', traceparent)
  if (context.now() <= holdsUntil(context, entry) + GRACE_MS)
    throw refusePending(context, entry, 'PAYMENT_UNRESOLVED', traceparent)
  // It can no longer be collected. Its amount stays spent, but its call may be paid again.
  await context.ledger.update(entry.id, { answered: true })
}

/** Reads from the chain what became of a payment, and records it. Open without an RPC endpoint, or a proof. */
export async function readChain(
  { rpcUrls, ledger, schemes, now }: GuardContext,
  entry: Payment,
): Promise<'settled' | 'unused' | 'open'> {
  const urls = rpcUrls[entry.network]
  if (urls === undefined) return 'open'
  // Loaded with the first such payment, since most are answered.
  const { askChain } = await import('../../ledger/reconcile.ts')
  const { update } = await askChain(urls, entry, schemes, globalThis.fetch, now())
  if (update === undefined) return 'open'
  await ledger.update(entry.id, update)
  // By the clock of a shared ledger, the proof may not hold yet.
  const reached = ledger.find(entry.id)?.state
  return reached === 'settled' ? reached : reached === 'released' ? 'unused' : 'open'
}

/** Records that the guard saw no answer to a signed payment: a fault unless the chain shows that it was collected. */
export async function recordSilence(context: GuardContext, id: string): Promise<void> {
  const { ledger } = context
  // It may have left by a route that the guard does not see.
  await ledger.update(id, { state: 'unknown' })
  context.flights.land(id)
  const entry = ledger.find(id)
  if (entry === undefined || entry.state === 'settled') return
  if (context.rpcUrls[entry.network] === undefined) return noteFault(context, entry)
  // Not awaited: the call that comes upon it is another one.
  const judge = async () => {
    if ((await readChain(context, entry)) !== 'settled') await noteFault(context, entry)
  }
  judge().catch(() => {})
}

/** Counts a payment without an answer as a mild fault of its endpoint, once. */
export async function noteFault({ ledger }: GuardContext, { id, delivered }: Payment): Promise<void> {
  if (delivered === null) await ledger.update(id, { delivered: false, isMild: true })
}
