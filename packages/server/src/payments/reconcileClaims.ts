import { ClaimStateError } from '../facts/storeError.ts'
import { DAY } from '../facts/times.ts'
import type { OpenClaim } from '../store/claims.ts'
import { readUnsettled } from '../store/claims.ts'
import type { Store } from '../store/store.ts'
import { ABANDONED_AFTER_MS, SETTLING_AFTER_MS } from './claimTimes.ts'
import { findUse, type Head, isSettlement, type UseReader } from './findUse.ts'
import type { OnOwed } from './owedCalls.ts'

/** Options of `reconcileClaims`. */
export type ReconcileOptions = {
  claims: Store
  /** Client of the network; claims on other networks are skipped. */
  chain: UseReader
  /** CAIP-2 of the client. */
  network: string
  /** Unix time in ms. */
  now: () => number
  /** Receives each claim that has just become missing. */
  onMissing?: (claim: OpenClaim) => void
  onOwed?: OnOwed
  /** Receives the result of each claim. */
  onResult?: (claim: OpenClaim, result: ReconcileResult) => void
  onError?: (claim: OpenClaim, error: unknown) => void
}

/** Result of a claim; `used` if the chain reports the nonce as used, but not in which transaction. */
export type ReconcileResult = 'settled' | 'owed' | 'released' | 'open' | 'used' | 'missing' | 'failed'

/** Number of claims by result. */
export type Reconciliation = Record<ReconcileResult, number>

/** Time in ms, on the chain, after which a reported settlement that the chain does not show is missing. */
const MISSING_AFTER_MS = 120_000
/** Number of claims resolved concurrently. */
const CONCURRENCY = 8

/**
 * Resolves claims left open by a crash, a fault or a refusal, and confirms settlements that the facilitator reported, using
 * on-chain state.
 * A claim is settled if its nonce was used in a matching transfer; if its call was not answered, the payer is owed the
 * answer. If its nonce was used and the node shows no transfer, it stays. Otherwise a reported one is missing after two
 * minutes, any other is released if it can no longer be used, and the rest stays open.
 * @param unsettled the claims to resolve. @default all
 */
export async function reconcileClaims(
  options: ReconcileOptions,
  unsettled?: readonly OpenClaim[],
): Promise<Reconciliation> {
  const { claims, chain, network, now, onResult, onError } = options
  const results: Reconciliation = {
    settled: 0,
    owed: 0,
    released: 0,
    open: 0,
    used: 0,
    missing: 0,
    failed: 0,
  }
  const all = unsettled ?? (await readUnsettled(claims))
  // Refused ones last: a payer can make many, and others wait for their confirmation.
  const rank = ({ state }: OpenClaim) => Number(state === 'refused')
  const queue = all.filter((claim) => claim.network === network).sort((a, b) => rank(b) - rank(a))
  let head: Promise<Head> | undefined
  const readHead = () => {
    head ??= chain.getBlock({ blockTag: 'latest' })
    return head
  }
  const work = async () => {
    for (let claim = queue.pop(); claim !== undefined; claim = queue.pop()) {
      const resolved = claim
      const result = await reconcileOne(resolved, options, readHead, now()).catch((error: unknown) => {
        // A call or another process was quicker.
        if (error instanceof ClaimStateError) return 'open' as const
        onError?.(resolved, error)
        return 'failed' as const
      })
      results[result] += 1
      onResult?.(resolved, result)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return results
}

async function reconcileOne(
  claim: OpenClaim,
  options: ReconcileOptions,
  readHead: () => Promise<Head>,
  at: number,
): Promise<ReconcileResult> {
  const { claims, chain, onError } = options
  const release = async () => {
    await claims.write('advancePayment', claim, 'released', { at, answer: null })
    return 'released' as const
  }
  if (claim.state === 'claimed') {
    if (at - claim.claimedAt < ABANDONED_AFTER_MS) return 'open'
    // `settling` is stored before the facilitator is asked to settle.
    if (claim.sentAt === null) return release()
    await claims.write('advancePayment', claim, 'refused', { at })
    return 'open'
  }
  if (claim.state === 'settling') {
    if (at - claim.updatedAt < SETTLING_AFTER_MS) return 'open'
    await claims.write('advancePayment', claim, 'unknown', { at })
  }
  const head = await readHead()
  const use = await findUse(chain, claim, head, at, (error) => onError?.(claim, error))
  if (isSettlement(use)) return settle(claim, use, options, at)
  if (claim.state === 'missing') return 'missing'
  // Nothing more can be found of it, and its call was refused.
  if (use === 'used' && claim.state === 'refused' && at > claim.validBefore * 1000 + DAY) return release()
  if (use === 'used') return 'used'
  if (claim.state !== 'reported') return use === 'open' ? 'open' : release()
  // Use chain time, so that a lagging node raises no false accusation.
  if (use === 'open' && Number(head.timestamp) * 1000 < claim.updatedAt + MISSING_AFTER_MS) return 'open'
  const missing = await claims.write('advancePayment', claim, 'missing', { at })
  options.onMissing?.(missing)
  return 'missing'
}

/** Notes a settlement. Reported ones were answered, or are answered when their call is repeated. */
async function settle(
  claim: OpenClaim,
  txHash: string,
  { claims, onOwed }: ReconcileOptions,
  at: number,
): Promise<'settled' | 'owed'> {
  if (claim.state === 'reported' || claim.state === 'missing') {
    await claims.write('advancePayment', claim, 'settled', { at, txHash })
    return 'settled'
  }
  const owed = await claims.write('advancePayment', claim, 'owed', { at, txHash })
  onOwed?.(owed)
  return 'owed'
}
