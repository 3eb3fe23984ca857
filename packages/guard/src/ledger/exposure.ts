import type { ExpiryProof, Payment } from './ledger.ts'
import { APPROVAL_LIFETIME_MS } from './pending.ts'

/** Time in ms after the end of an authorization during which no clock is trusted to say that it has ended. */
export const GRACE_MS = 600_000
/** Most that a final block may be older than the own clock, in ms: Base finalizes 15 to 20 minutes late. */
const OLDEST_BLOCK_MS = 3_600_000
/** Most that a final block may be newer than the own clock, in ms. */
const NEWEST_BLOCK_MS = 60_000

/**
 * Whether nothing of a payment has left, and nothing can any more: its approval is over without a signature, or what was
 * handed out to a program of the owner, and never seen to leave, has expired.
 */
export function isLapsed({ state, at, agent, until }: Payment, now: number): boolean {
  if (state === 'reserved') return now > at + APPROVAL_LIFETIME_MS + GRACE_MS
  return state === 'handedOut' && agent === null && until !== null && now > until * 1000 + GRACE_MS
}

/** Whether the guard has not seen a payment leave. */
export const isUnsent = ({ state }: Pick<Payment, 'state'>): boolean =>
  state === 'reserved' || state === 'handedOut'

/** Whether a payment may still be answered. */
export const isInFlight = (entry: Pick<Payment, 'state'>): boolean =>
  isUnsent(entry) || entry.state === 'sent'

/** Whether a finalized block tells of the present by the own clock. */
export function isFresh({ at, timestamp }: Pick<ExpiryProof, 'at' | 'timestamp'>): boolean {
  const age = at - timestamp * 1000
  return age <= OLDEST_BLOCK_MS && age >= -NEWEST_BLOCK_MS
}

/** Whether a finalized block proves that an authorization, unused at it, can no longer be used. */
export function provesEnd(proof: ExpiryProof, { until }: Payment): boolean {
  return until !== null && proof.at > until * 1000 + GRACE_MS && proof.timestamp > until && isFresh(proof)
}

/**
 * Whether the cost of a payment is still unknown. A seller's report of a settlement does not prove what an `upto` payment
 * has cost, or that it has cost anything.
 */
export function isOpen({ state, scheme, known }: Payment): boolean {
  if (state === 'settled') return scheme === 'upto' && known?.by !== 'chain'
  return state === 'handedOut' || state === 'sent' || state === 'unknown'
}
