import { ClaimStateError } from '../facts/storeError.ts'
import type { ClaimKey, ClaimStore, OpenClaim } from '../ports/claims.ts'
import type { Production, SaleOutcome } from '../ports/paywall.ts'
import type { Confirmation } from './createConfirmation.ts'
import { deliver } from './outcomes.ts'
import type { Terms } from './terms.ts'

/** Receives a claim that turns out to be settled although its call was not answered, and its state until then. */
export type OnOwed = (claim: OpenClaim, from: OpenClaim['state']) => void

/** Dependencies of `createOwedCalls`. */
export type OwedCallsDeps = {
  readonly claims: ClaimStore
  readonly confirmation: Pick<Confirmation, 'peek'> | undefined
  readonly now: () => number
  readonly onOwed: OnOwed
}

/** A call whose payer is known, and whose own payment is not claimed. */
export type PayableCall = {
  readonly key: ClaimKey
  readonly terms: Terms
  /** Returns whether a claim of the payer pays for this call. */
  readonly isFor: (claim: OpenClaim) => boolean
  readonly make: () => Promise<Production>
}

/** Maximum number of earlier payments that are looked for on chain before a call. */
const MAX_PEEKS = 3

/**
 * Creates the step that answers a call without another payment if an earlier one settled and its own call was not answered,
 * such as one that the facilitator denied and settled later.
 * @returns a function that returns undefined if nothing is owed
 */
export function createOwedCalls({ claims, confirmation, now, onOwed }: OwedCallsDeps) {
  const toOwed = async (claim: OpenClaim): Promise<OpenClaim | undefined> => {
    const txHash = await confirmation?.peek(claim)
    if (txHash === undefined) return undefined
    const owed = await unlessMoved(claims.advance(claim, 'owed', { at: now(), txHash }))
    if (owed !== undefined) onOwed(owed, claim.state)
    return owed
  }
  /** Finds what is owed to a payer, the presented payment first. */
  const findOwed = async (
    undelivered: readonly OpenClaim[],
    { nonce }: ClaimKey,
  ): Promise<OpenClaim | undefined> => {
    const owed = undelivered.filter(({ state }) => state === 'owed')
    const known = owed.find((claim) => claim.nonce === nonce) ?? owed[0]
    if (known !== undefined) return known
    const found = await Promise.all(undelivered.slice(0, MAX_PEEKS).map(toOwed))
    return found.find((claim) => claim !== undefined)
  }

  return async ({ key, terms, isFor, make }: PayableCall): Promise<SaleOutcome | undefined> => {
    const owed = await findOwed((await claims.undelivered(key)).filter(isFor), key)
    if (owed === undefined || owed.txHash === null) return undefined
    // The same payment gets the answer that it was sold with.
    const kept = owed.nonce === key.nonce ? (await claims.get(key))?.answer : undefined
    const production: Production = kept ? { ok: true, answer: kept } : await make()
    if (!production.ok) return { kind: 'refused', refusal: production.refusal }
    const { answer } = production
    const settled = await unlessMoved(claims.advance(owed, 'settled', { at: now(), answer }))
    return settled && deliver(answer, owed.txHash, owed.from, terms, Boolean(kept))
  }
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
