import { ClaimStateError } from '../facts/storeError.ts'
import { DAY } from '../facts/times.ts'
import type { OpenClaim } from '../store/claims.ts'
import { ABANDONED_AFTER_MS, SETTLING_AFTER_MS } from './claimTimes.ts'
import { findUse, type Head, isSettlement, type UseReader } from './findUse.ts'
import { noteMissing, noteOwed } from './noteFault.ts'
import { receiptOf } from './outcomes.ts'
import type { PaymentContext } from './paymentContext.ts'

/** Result of a claim; `used` if the chain reports the nonce as used, but not in which transaction. */
export type ReconcileResult = 'settled' | 'owed' | 'released' | 'open' | 'used' | 'missing' | 'failed'

/** Number of claims by result. */
export type Reconciliation = Record<ReconcileResult, number>

/** The last result of each claim by its receipt, with the Unix time in ms of its round. */
export type Observations = Map<string, { readonly at: number; readonly result: ReconcileResult }>

/** One pass over claims. `observations` get the result of each claim as soon as it is known. */
export type Round = { readonly at: number; readonly observations: Observations }

/** Time in ms, on the chain, after which a reported settlement that the chain does not show is missing. */
const MISSING_AFTER_MS = 120_000
/** Number of claims resolved concurrently. */
const CONCURRENCY = 8

type ReconcileContext = Pick<PaymentContext, 'config' | 'log' | 'metrics' | 'now' | 'store'>

/**
 * Resolves claims left open by a crash, a fault or a refusal, and confirms settlements that the facilitator reported, using
 * on-chain state.
 * A claim is settled if its nonce was used in a matching transfer; if its call was not answered, the payer is owed the
 * answer. If its nonce was used and the node shows no transfer, it stays. Otherwise a reported one is missing after two
 * minutes, any other is released if it can no longer be used, and the rest stays open.
 * @param chain client of the network; claims on other networks are skipped
 * @returns how many had which result, and what kept one of them from being resolved
 */
export async function reconcileClaims(
  ctx: ReconcileContext,
  chain: UseReader,
  unsettled: readonly OpenClaim[],
  { at, observations }: Round,
): Promise<{ readonly results: Reconciliation; readonly cause?: unknown }> {
  const results: Reconciliation = {
    settled: 0,
    owed: 0,
    released: 0,
    open: 0,
    used: 0,
    missing: 0,
    failed: 0,
  }
  let cause: unknown
  // Refused ones last: a payer can make many, and others wait for their confirmation.
  const rank = ({ state }: OpenClaim) => Number(state === 'refused')
  const queue = unsettled
    .filter(({ network }) => network === ctx.config.network)
    .sort((a, b) => rank(b) - rank(a))
  let head: Promise<Head> | undefined
  const readHead = () => {
    head ??= chain.getBlock({ blockTag: 'latest' })
    return head
  }
  const work = async () => {
    for (let claim = queue.pop(); claim !== undefined; claim = queue.pop()) {
      const resolved = await resolveClaim(ctx, chain, claim, readHead).catch((error: unknown): Resolved => {
        // A call or another process was quicker.
        if (error instanceof ClaimStateError) return { result: 'open' }
        return { result: 'failed', cause: error }
      })
      const { result } = resolved
      cause = resolved.cause ?? cause
      results[result] += 1
      observations.set(receiptOf(claim), { at, result })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return { results, cause }
}

type Resolved = { readonly result: ReconcileResult; readonly cause?: unknown }

async function resolveClaim(
  ctx: ReconcileContext,
  chain: UseReader,
  claim: OpenClaim,
  readHead: () => Promise<Head>,
): Promise<Resolved> {
  const { store } = ctx
  const at = ctx.now()
  const release = async (): Promise<Resolved> => {
    await store.write('advancePayment', claim, 'released', { at, answer: null })
    return { result: 'released' }
  }
  if (claim.state === 'claimed') {
    if (at - claim.claimedAt < ABANDONED_AFTER_MS) return { result: 'open' }
    // `settling` is stored before the facilitator is asked to settle.
    if (claim.sentAt === null) return release()
    await store.write('advancePayment', claim, 'refused', { at })
    return { result: 'open' }
  }
  if (claim.state === 'settling') {
    if (at - claim.updatedAt < SETTLING_AFTER_MS) return { result: 'open' }
    await store.write('advancePayment', claim, 'unknown', { at })
  }
  const head = await readHead()
  const { use, cause } = await findUse(chain, claim, head, at)
  if (isSettlement(use)) return { result: await noteSettled(ctx, claim, use, at) }
  if (claim.state === 'missing') return { result: 'missing', cause }
  // Nothing more can be found of it, and its call was refused.
  if (use === 'used' && claim.state === 'refused' && at > claim.validBefore * 1000 + DAY)
    return { ...(await release()), cause }
  if (use === 'used') return { result: 'used', cause }
  if (claim.state !== 'reported') return use === 'open' ? { result: 'open' } : release()
  // Use chain time, so that a lagging node raises no false accusation.
  if (use === 'open' && Number(head.timestamp) * 1000 < claim.updatedAt + MISSING_AFTER_MS)
    return { result: 'open' }
  noteMissing(ctx, await store.write('advancePayment', claim, 'missing', { at }))
  return { result: 'missing' }
}

/** Records a settlement. Reported ones were answered, or are answered when their call is repeated. */
async function noteSettled(
  ctx: ReconcileContext,
  claim: OpenClaim,
  txHash: string,
  at: number,
): Promise<'settled' | 'owed'> {
  if (claim.state === 'reported' || claim.state === 'missing') {
    await ctx.store.write('advancePayment', claim, 'settled', { at, txHash })
    return 'settled'
  }
  noteOwed(ctx, await ctx.store.write('advancePayment', claim, 'owed', { at, txHash }))
  return 'owed'
}
