import { ClaimStateError } from '../facts/storeError.ts'
import type { Claim, ClaimKey, OpenClaim } from '../store/claims.ts'
import { readUndelivered } from '../store/claims.ts'
import type { Confirmation } from './createConfirmation.ts'
import { noteOwed } from './noteFault.ts'
import { deliver } from './outcomes.ts'
import type { PaymentContext } from './paymentContext.ts'
import type { Production, SaleOutcome } from './paywall.ts'
import type { Terms } from './terms.ts'

/** A call whose payer is known. */
export type PayableCall = {
  /** The claim of the presented payment, if there is one. */
  readonly present: Claim | undefined
  readonly key: ClaimKey
  readonly terms: Terms
  /** Returns whether a claim of the payer pays for this call. */
  readonly isFor: (claim: OpenClaim) => boolean
  readonly make: () => Promise<Production>
  /** Fires when the client disconnects. */
  readonly signal: AbortSignal
}

/** Maximum number of earlier payments that are looked for on chain before a call. */
const MAX_PEEKS = 3

type OwedContext = Pick<PaymentContext, 'log' | 'metrics' | 'now' | 'store'>
type Peeks = Pick<Confirmation, 'peek'>

/**
 * Answers a call without another payment if an earlier one settled and its own call was not answered, such as one that the
 * facilitator denied and settled later. Returns undefined if nothing is owed.
 */
export async function answerOwed(
  ctx: OwedContext,
  confirmation: Peeks,
  call: PayableCall,
): Promise<SaleOutcome | undefined> {
  const { present, key, terms, make, signal } = call
  const owed = await findOwed(ctx, confirmation, call)
  if (owed === undefined || owed.txHash === null) return undefined
  // The same payment gets the answer that it was sold with, unless that was a file, which may be gone.
  const kept = owed.nonce === key.nonce ? present?.answer : undefined
  const isKept = kept !== null && kept !== undefined && kept.snapshot === undefined
  const production: Production = isKept ? { ok: true, answer: kept } : await make()
  if (!production.ok) return { kind: 'refused', refusal: production.refusal }
  if (signal.aborted) return { kind: 'abandoned' }
  const { answer } = production
  const settled = await unlessMoved(
    ctx.store.write('advancePayment', owed, 'settled', { at: ctx.now(), answer }),
  )
  return settled && deliver(answer, owed.txHash, owed.from, terms, isKept)
}

/** Finds what is owed to a payer, the presented payment first. */
async function findOwed(
  ctx: OwedContext,
  confirmation: Peeks,
  { present, key, terms, isFor }: PayableCall,
): Promise<OpenClaim | undefined> {
  // At a lower price it was another purchase.
  const isEnough = ({ amountAtomic }: OpenClaim) => BigInt(amountAtomic) >= BigInt(terms.amountAtomic)
  const pays = (claim: OpenClaim) => isFor(claim) && isEnough(claim)
  if (present?.state === 'owed' && isFor(present)) return present
  const undelivered = (await readUndelivered(ctx.store, key)).filter(pays)
  const known = undelivered.find(({ state }) => state === 'owed')
  if (known !== undefined) return known
  const peeked = undelivered.slice(0, MAX_PEEKS).map((claim) => toOwed(ctx, confirmation, claim))
  return (await Promise.all(peeked)).find((claim) => claim !== undefined)
}

/** Returns the claim as owed if the chain shows its settlement. */
async function toOwed(
  ctx: OwedContext,
  confirmation: Peeks,
  claim: OpenClaim,
): Promise<OpenClaim | undefined> {
  const txHash = await confirmation.peek(claim)
  if (txHash === undefined) return undefined
  const owed = await unlessMoved(ctx.store.write('advancePayment', claim, 'owed', { at: ctx.now(), txHash }))
  if (owed !== undefined) noteOwed(ctx, owed)
  return owed
}

/** Returns undefined if another call has moved the claim meanwhile. */
async function unlessMoved<T>(advance: Promise<T>): Promise<T | undefined> {
  try {
    return await advance
  } catch (error) {
    if (error instanceof ClaimStateError) return undefined
    throw error
  }
}
