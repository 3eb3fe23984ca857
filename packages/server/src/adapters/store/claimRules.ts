import { ClaimStateError } from '../../domain/facts/storeError.ts'
import { HOUR } from '../../domain/facts/times.ts'
import type { Claim, ClaimKey, ClaimState, StoredAnswer } from '../../ports/claims.ts'

/** How long a delivered answer is kept for identical requests. */
export const ANSWER_KEPT_MS = 24 * HOUR

/** What a caller asks to claim. */
export type WantedClaim = Omit<Claim, 'state' | 'updatedAt' | 'txHash' | 'answer'>

/** What may come with a change of state; what is left out stays as it was. */
export type ClaimChange = { at: number; txHash?: string | null; answer?: StoredAnswer | null }

const LEADS_TO: Readonly<Record<ClaimState, readonly ClaimState[]>> = {
  claimed: ['settling', 'released'],
  settling: ['settled', 'unknown', 'released'],
  unknown: ['settled', 'released'],
  settled: [],
  released: [],
}

/** States in which a claim waits for its end. */
export const OPEN_STATES: readonly ClaimState[] = ['claimed', 'settling', 'unknown']

/** The states from which a claim may become `to`. */
export function leadsTo(to: ClaimState): ClaimState[] {
  const states: ClaimState[] = ['claimed', 'settling', 'unknown', 'settled', 'released']
  return states.filter((from) => LEADS_TO[from].includes(to))
}

/** One text for one authorization, whatever the letter case of its parts. */
export function claimId({ network, asset, from, nonce }: ClaimKey): string {
  return `${network} ${asset} ${from} ${nonce}`.toLowerCase()
}

/** Whether a wanted claim may stand in place of what is there. */
export function mayClaim(present: Claim | undefined): boolean {
  return present === undefined || present.state === 'released'
}

/** A claim as it stands when it was just won. */
export function newClaim(wanted: WantedClaim): Claim {
  return { ...wanted, state: 'claimed', updatedAt: wanted.claimedAt, txHash: null, answer: null }
}

/**
 * The claim in its next state.
 *
 * @throws ClaimStateError when there is no claim or its state does not lead there.
 */
export function advancedClaim(
  present: Claim | undefined,
  to: Exclude<ClaimState, 'claimed'>,
  change: ClaimChange,
): Claim {
  if (!present) throw new ClaimStateError(`There is no such claim to become ${to}.`)
  if (!LEADS_TO[present.state].includes(to)) {
    throw new ClaimStateError(`A claim that is ${present.state} cannot become ${to}.`)
  }
  return {
    ...present,
    state: to,
    updatedAt: change.at,
    txHash: change.txHash === undefined ? present.txHash : change.txHash,
    answer: change.answer === undefined ? present.answer : change.answer,
  }
}

/** The claim as it may be shown at `now`: without its answer once that is 24 hours old. */
export function withoutStaleAnswer(claim: Claim, now: number): Claim {
  return claim.answer && now - claim.updatedAt >= ANSWER_KEPT_MS ? { ...claim, answer: null } : claim
}
