import { type CanonicalUrl, formatUnits, sameAddress, USDC_DECIMALS } from '@touchstone402/shared'
import { screenAddress } from '../decide/screen.ts'
import { createGuardError, type GuardError } from '../errors.ts'
import type { CallQuery, LedgerEntry, StoredPayment } from '../ledger/ledger.ts'
import { INTENT_LIFETIME_MS } from '../ledger/pending.ts'
import { askChain, toUpdate } from '../ledger/reconcile.ts'
import { readUrl } from '../readUrl.ts'
import type { ReasonCode } from '../reasons.ts'
import type { CheckedVerdict, PaymentIntent } from '../types.ts'
import type { GuardContext } from './guardContext.ts'
import { refuse } from './refuse.ts'

/** An unresolved payment of a call. `payment` is null if it was never seen whole, so it cannot be sent again. */
export type PendingPayment = { entry: LedgerEntry; payment: StoredPayment | null }

/** An unresolved payment that can be sent again. */
export type Resendable = { entry: LedgerEntry; payment: StoredPayment }

// Approval and signature are milliseconds apart, except with a remote signer.
const SIGNING_MS = 2000
const POLL_MS = 25

/**
 * Finds the unresolved payment of a call, and resolves it by the chain if it has expired. A payment that answered an
 * equal call after `begun` counts as unresolved, see `AnsweredPayments`.
 * @returns null if a new payment may be signed
 * @throws GuardError PAYMENT_PENDING, PAYMENT_SETTLED or PAYMENT_UNRESOLVED
 */
export async function findUnresolved(
  context: GuardContext,
  query: CallQuery,
  begun: number,
  traceparent: string | null,
): Promise<PendingPayment | null> {
  const { ledger, now, answered } = context
  const giveUpAt = Date.now() + SIGNING_MS
  for (;;) {
    await ledger.refresh()
    const overlapped = answered.find(query, begun)
    if (overlapped !== undefined) return overlapped
    const entry = ledger.findPending(query, now())
    if (entry === undefined) return null
    // The next equal call of a caller who has its answer is no retry.
    if (context.streaming.delete(entry.id)) await ledger.update(entry.id, { answered: true })
    else if (entry.state === 'reserved') {
      if (Date.now() >= giveUpAt) throw refusePending(context, entry, 'PAYMENT_PENDING', traceparent)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    } else if (now() < holdsUntil(context, entry)) {
      return { entry, payment: await ledger.readPayment(entry.id) }
    } else await resolveExpired(context, entry, traceparent)
  }
}

/** Finds a payment to attach to the first request of a retry, without network or file access if there is none. */
export async function findResendable(
  context: GuardContext,
  query: CallQuery,
): Promise<Resendable | undefined> {
  const { ledger, now } = context
  const entry = ledger.findPending(query, now())
  if (entry === undefined || entry.state === 'reserved' || context.streaming.has(entry.id)) return undefined
  if (now() >= holdsUntil(context, entry)) return undefined
  const payment = await ledger.readPayment(entry.id)
  return payment === null ? undefined : { entry, payment }
}

/**
 * Checks that the policy still allows a payment to be sent.
 * @throws GuardError if its host or receiver is denied, or its verdict is `avoid`
 */
export async function checkResend(
  context: GuardContext,
  { entry, payment }: Resendable,
  traceparent: string | null,
): Promise<{ intent: PaymentIntent; verdict: CheckedVerdict | null }> {
  const { policy } = context
  const intent = intentOf(context, entry)
  const no = (code: ReasonCode, verdict?: CheckedVerdict) =>
    refuse(context, code, {
      intent,
      verdict,
      traceparent,
      facts: { moneyMayHaveLeft: true, paymentId: entry.id },
    })
  if (await context.ledger.isStopped()) throw no('STOPPED')
  const canonical = readUrl(payment.url) as CanonicalUrl
  const address = screenAddress(policy, canonical)
  if (address !== null) throw no(address)
  if (policy.denyReceivers.some((denied) => sameAddress(denied, entry.payTo)))
    throw no('RECEIVER_NOT_ALLOWED')
  const state = await context.verdicts?.get(entry.endpoint)
  const verdict = state?.state === 'signed' ? state.verdict : null
  const last = state?.state === 'unavailable' ? state.lastSeen : verdict?.verdict
  if (last === 'avoid' && policy.block.includes('avoid')) throw no('VERDICT_AVOID', verdict ?? undefined)
  return { intent, verdict }
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
  const wrong = (details: string) => createGuardError('CONFIGURATION', { details })
  if (entry === undefined || entry.answered) throw wrong(`resolve: no unresolved payment ${id}`)
  // A second authorization beside one that can still be collected would pay twice.
  if (outcome === 'lost' && now() < holdsUntil(context, entry)) throw wrong('resolve: not expired yet')
  if (outcome === 'delivered') await ledger.update(id, { delivered: true })
  await ledger.update(id, { answered: true })
}

/** Creates the refusal of a call that has an unresolved payment. */
export function refusePending(
  context: GuardContext,
  entry: LedgerEntry,
  code: 'PAYMENT_PENDING' | 'PAYMENT_SETTLED' | 'PAYMENT_UNRESOLVED',
  traceparent: string | null,
): GuardError {
  const { id: paymentId, transaction } = entry
  const until = code === 'PAYMENT_PENDING' ? new Date(holdsUntil(context, entry)).toISOString() : undefined
  return refuse(context, code, {
    intent: intentOf(context, entry),
    traceparent,
    details: until && `It can be collected until ${until}.`,
    facts: { paymentId, ...(until && { resetsAt: until }), ...(transaction && { transaction }) },
  })
}

/** Returns the Unix time in ms until which a payment can be collected, or at most if that is not known. */
function holdsUntil({ policy }: GuardContext, { state, at, authorization }: LedgerEntry): number {
  if (authorization !== null) return Number(authorization.validBefore) * 1000
  return at + (state === 'reserved' ? INTENT_LIFETIME_MS : policy.maxAuthorizationSeconds * 1000)
}

async function resolveExpired(
  context: GuardContext,
  entry: LedgerEntry,
  traceparent: string | null,
): Promise<void> {
  const state = entry.state === 'committed' ? 'settled' : await readChain(context, entry)
  if (state === 'unused') return context.ledger.update(entry.id, { state })
  const code = state === 'settled' ? 'PAYMENT_SETTLED' : 'PAYMENT_UNRESOLVED'
  throw refusePending(context, entry, code, traceparent)
}

/** Reads from the chain whether a payment was collected, and records it. Open without an RPC endpoint. */
export async function readChain(
  { rpcUrls, ledger, schemes }: GuardContext,
  entry: LedgerEntry,
): Promise<'settled' | 'unused' | 'open'> {
  const found = await askChain(rpcUrls[entry.network], entry, schemes, globalThis.fetch)
  if (found.state === 'settled') await ledger.update(entry.id, toUpdate(found))
  return found.state
}

/** Records that the guard saw no answer to a signed payment: a fault unless the chain shows that it was collected. */
export async function recordSilence(context: GuardContext, id: string): Promise<void> {
  const { ledger } = context
  // It may have left by a route that the guard does not see.
  await ledger.update(id, { state: 'unknown' })
  const entry = ledger.find(id)
  if (entry === undefined || entry.state === 'committed') return
  if ((await readChain(context, entry)) !== 'settled') await noteFault(context, entry)
}

/** Counts a payment without an answer as a mild fault of its endpoint, once. */
export async function noteFault({ ledger }: GuardContext, { id, delivered }: LedgerEntry): Promise<void> {
  if (delivered === null) await ledger.update(id, { delivered: false, isMild: true })
}

/** Describes a payment of the ledger. Its lifetime is the longest that the policy allows. */
export function intentOf({ policy }: GuardContext, entry: LedgerEntry): PaymentIntent {
  const { endpoint, host, call, network, asset, payTo, amountAtomic, usdMicros } = entry
  return {
    ...{ endpoint, host, network, asset, payTo, amountAtomic },
    method: call.slice(0, call.indexOf(' ')),
    url: call.slice(call.indexOf(' ') + 1),
    scheme: entry.scheme ?? 'exact',
    facilitator: null,
    amountUsd: formatUnits(usdMicros, USDC_DECIMALS),
    maxTimeoutSeconds: policy.maxAuthorizationSeconds,
  }
}
