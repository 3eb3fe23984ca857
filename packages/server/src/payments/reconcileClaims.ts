import { type Hex, type PublicClient, parseAbiItem } from 'viem'
import { AUTHORIZATION_STATE, AUTHORIZATION_USED } from '../lib/eip3009.ts'
import type { ClaimStore, OpenClaim } from '../ports/claims.ts'
import { hex, isSettledBy } from './readSettlement.ts'

/** Source: EIP-3009. */
const AUTHORIZATION_CANCELED = parseAbiItem(
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
)

/** Options of `reconcileClaims`. */
export type ReconcileOptions = {
  claims: ClaimStore
  /** Client of the network; claims on other networks are skipped. */
  chain: Pick<PublicClient, 'readContract' | 'getBlock' | 'getLogs' | 'getTransactionReceipt'>
  /** CAIP-2 of the client. */
  network: string
  /** Unix time in ms. */
  now: () => number
  /** Receives each claim that has just become missing. */
  onMissing?: (claim: OpenClaim) => void
  /** Receives the result of each claim. */
  onResult?: (claim: OpenClaim, result: ReconcileResult) => void
  onError?: (claim: OpenClaim, error: unknown) => void
}

/** Result of a claim; `used` if the chain reports the nonce as used, but not in which transaction. */
export type ReconcileResult = 'settled' | 'released' | 'open' | 'used' | 'missing' | 'failed'

/** Number of claims by result. */
export type Reconciliation = Record<ReconcileResult, number>

/** Chain time in seconds after which an expired authorization stays unused even through a short reorganisation. */
export const VOID_MARGIN_SECONDS = 60
/** Age in ms of a `claimed` claim whose process must have died; longer than verification and the slowest handler. */
const ABANDONED_AFTER_MS = 180_000
/** Age in ms of a settlement that must have been answered. */
const SETTLING_AFTER_MS = 90_000
/** Time in ms, on the chain, after which a reported settlement that the chain does not show is missing. */
const MISSING_AFTER_MS = 120_000
/** Maximum number of blocks per log request. */
const MAX_BLOCK_RANGE = 1000n
/** Number of claims resolved concurrently. */
const CONCURRENCY = 8
/** Maximum clock skew between the chain and us. */
const CLOCK_SLACK_SECONDS = 600n

/**
 * Resolves claims left open by a crash or a fault, and confirms settlements that the facilitator reported, using on-chain state.
 * A claim is settled if its nonce was used in a matching transfer. If its nonce was used and the node shows no transfer, it
 * stays. Otherwise a reported one is missing after two minutes, any other is released if it can no longer be used, and the
 * rest stays open.
 * @param unsettled the claims to resolve. @default all
 */
export async function reconcileClaims(
  options: ReconcileOptions,
  unsettled?: readonly OpenClaim[],
): Promise<Reconciliation> {
  const { claims, network, now, onResult, onError } = options
  const results: Reconciliation = { settled: 0, released: 0, open: 0, used: 0, missing: 0, failed: 0 }
  const all = unsettled ?? (await claims.unsettled())
  const queue = all.filter((claim) => claim.network === network).reverse()
  const work = async () => {
    for (let claim = queue.pop(); claim !== undefined; claim = queue.pop()) {
      const resolved = claim
      const result = await reconcileOne(resolved, options, now()).catch((error: unknown) => {
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
  at: number,
): Promise<ReconcileResult> {
  const { claims, chain } = options
  const release = async () => {
    await claims.advance(claim, 'released', { at, answer: null })
    return 'released' as const
  }
  // `settling` is stored before the facilitator sees a payment, so nothing was sent for a `claimed` one.
  if (claim.state === 'claimed') return at - claim.claimedAt < ABANDONED_AFTER_MS ? 'open' : release()
  if (claim.state === 'settling') {
    if (at - claim.updatedAt < SETTLING_AFTER_MS) return 'open'
    await claims.advance(claim, 'unknown', { at })
  }
  const head = await chain.getBlock({ blockTag: 'latest' })
  const use = await findUse(claim, options, head)
  if (use !== 'open' && use !== 'used' && use !== 'void') {
    await claims.advance(claim, 'settled', { at, txHash: use })
    return 'settled'
  }
  if (claim.state === 'missing') return 'missing'
  if (use === 'used') return 'used'
  if (claim.state !== 'reported') return use === 'open' ? 'open' : release()
  // Use chain time, so that a lagging node raises no false accusation.
  if (use === 'open' && Number(head.timestamp) * 1000 < claim.updatedAt + MISSING_AFTER_MS) return 'open'
  const missing = await claims.advance(claim, 'missing', { at })
  options.onMissing?.(missing)
  return 'missing'
}

type Head = { readonly number: bigint; readonly timestamp: bigint }

/**
 * Returns the transaction that settled a claim, `void` if none can any more, `open` if one still may, `used` if the node has
 * no trace of one.
 */
async function findUse(
  claim: OpenClaim,
  options: ReconcileOptions,
  head: Head,
): Promise<Hex | 'open' | 'used' | 'void'> {
  const { chain } = options
  // A node without receipts may still know the state.
  if (claim.txHash !== null && (await isSettledBy(claim, hex(claim.txHash), chain).catch(() => false)))
    return hex(claim.txHash)
  // Pin the block: another node behind the same RPC URL may lag and report a stale "not used".
  const isUsed = await chain.readContract({
    address: hex(claim.asset),
    abi: AUTHORIZATION_STATE,
    functionName: 'authorizationState',
    args: [hex(claim.from), hex(claim.nonce)],
    blockNumber: head.number,
  })
  if (!isUsed) return head.timestamp > BigInt(claim.validBefore + VOID_MARGIN_SECONDS) ? 'void' : 'open'
  try {
    const use = await findEvent(claim, options, await lastUsable(claim, options, head))
    if (use === 'used' || use === 'void') return use
    const isSettled = await isSettledBy(claim, use, chain)
    if (isSettled === undefined) return 'used'
    // The payer may have spent the nonce on another authorization that paid another address.
    return isSettled ? use : 'void'
  } catch (error) {
    options.onError?.(claim, error)
    return 'used'
  }
}

/** Returns a block after the expiry of a claim, less than a range of blocks late, or the head if that is earlier. */
async function lastUsable(
  { validBefore }: OpenClaim,
  { chain }: ReconcileOptions,
  head: Head,
): Promise<bigint> {
  const isAfter = ({ timestamp }: Pick<Head, 'timestamp'>) => timestamp >= BigInt(validBefore)
  let [low, high] = [0n, head.number]
  if (!isAfter(head)) return high
  // Expiry is near the head most of the time.
  for (let step = MAX_BLOCK_RANGE; high - step > 0n; step *= 2n) {
    if (!isAfter(await chain.getBlock({ blockNumber: high - step }))) {
      low = high - step
      break
    }
    high -= step
  }
  while (high - low > MAX_BLOCK_RANGE) {
    const middle = (low + high) / 2n
    if (isAfter(await chain.getBlock({ blockNumber: middle }))) high = middle
    else low = middle
  }
  return high
}

/** Returns the transaction that used a nonce, `void` if it was cancelled. Searches back to the time of the claim. */
async function findEvent(
  claim: OpenClaim,
  { chain }: ReconcileOptions,
  last: bigint,
): Promise<Hex | 'used' | 'void'> {
  const address = hex(claim.asset)
  const args = { authorizer: hex(claim.from), nonce: hex(claim.nonce) }
  const since = BigInt(Math.floor(claim.claimedAt / 1000)) - CLOCK_SLACK_SECONDS
  for (let toBlock = last; toBlock >= 0n; toBlock -= MAX_BLOCK_RANGE) {
    const first = toBlock - MAX_BLOCK_RANGE + 1n
    const range = { address, args, fromBlock: first < 0n ? 0n : first, toBlock }
    const [used] = await chain.getLogs({ ...range, event: AUTHORIZATION_USED, strict: true })
    if (used) return used.transactionHash
    const [cancelled] = await chain.getLogs({ ...range, event: AUTHORIZATION_CANCELED, strict: true })
    if (cancelled) return 'void'
    const { timestamp } = await chain.getBlock({ blockNumber: range.fromBlock })
    if (timestamp < since) break
  }
  return 'used'
}
