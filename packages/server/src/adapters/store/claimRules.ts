import { ClaimStateError } from '../../domain/facts/storeError.ts'
import { HOUR } from '../../domain/facts/times.ts'
import type { Claim, ClaimChange, ClaimKey, ClaimState, WantedClaim } from '../../ports/claims.ts'

/** How long a delivered answer is kept for replay. */
export const ANSWER_KEPT_MS = 24 * HOUR

const COMES_FROM: Readonly<Record<ClaimState, readonly ClaimState[]>> = {
  claimed: ['released'],
  settling: ['claimed'],
  reported: ['settling'],
  settled: ['settling', 'unknown', 'reported', 'missing'],
  unknown: ['settling'],
  missing: ['reported'],
  released: ['claimed', 'settling', 'unknown'],
}

/** Returns whether a claim has neither been seen on chain nor released. */
export function isUnsettled({ state }: Claim): boolean {
  return state !== 'settled' && state !== 'released'
}

/** Returns the states from which a claim may become `to`. */
export function leadsTo(to: ClaimState): readonly ClaimState[] {
  return COMES_FROM[to]
}

/** Returns the id of an authorization, the same in any letter case. */
export function claimId({ network, asset, from, nonce }: ClaimKey): string {
  return `${network} ${asset} ${from} ${nonce}`.toLowerCase()
}

/** Creates a claim that was just won. */
export function newClaim(wanted: WantedClaim): Claim {
  return { ...wanted, state: 'claimed', updatedAt: wanted.claimedAt, txHash: null, answer: null }
}

/**
 * Returns a claim in its next state.
 * @throws ClaimStateError if there is no claim or its state does not lead there
 */
export function advancedClaim(
  present: Claim | undefined,
  to: Exclude<ClaimState, 'claimed'>,
  { at, txHash, answer }: ClaimChange,
): Claim {
  if (!present) throw new ClaimStateError(`Cannot set a claim to ${to}: no such claim`)
  if (!leadsTo(to).includes(present.state)) {
    throw new ClaimStateError(`Cannot set a claim to ${to}: it is ${present.state}`)
  }
  return {
    ...present,
    state: to,
    updatedAt: at,
    ...(txHash !== undefined && { txHash }),
    ...(answer !== undefined && { answer }),
  }
}

/** Returns a claim as it may be shown at a time: without its answer once that has expired. */
export function withoutStaleAnswer(claim: Claim, now: number): Claim {
  return claim.answer && now - claim.updatedAt >= ANSWER_KEPT_MS ? { ...claim, answer: null } : claim
}
