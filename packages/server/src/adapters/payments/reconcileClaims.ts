import { type Hex, type PublicClient, parseAbi, parseAbiItem } from 'viem'
import type { Claim, ClaimStore } from '../../ports/claims.ts'
import { hex, isSettledBy } from './readSettlement.ts'

/** Source: EIP-3009. */
const AUTHORIZATION_USED = parseAbiItem(
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
)
const AUTHORIZATION_CANCELED = parseAbiItem(
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
)
const EIP3009 = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
])

/** Options of `reconcileClaims`. */
export type ReconcileOptions = {
  claims: ClaimStore
  /** Client of the network; claims on other networks are skipped. */
  chain: Pick<PublicClient, 'readContract' | 'getBlock' | 'getLogs' | 'getTransactionReceipt'>
  /** CAIP-2 of the client. */
  network: string
  /** Unix time in ms. @default Date.now */
  now?: () => number
  /** Age in ms of a `claimed` claim whose process must have died; longer than verification and the slowest handler. @default 180000 */
  abandonedAfterMs?: number
  /** Age in ms of a settlement that must have been answered. @default 90000 */
  settlingAfterMs?: number
  /** Time in ms, on the chain, after which a reported settlement that the chain does not show is missing. @default 120000 */
  missingAfterMs?: number
  /** Maximum number of blocks per log request. @default 1000 */
  maxBlockRange?: number
  /** Receives each claim that has just become missing. */
  onMissing?: (claim: Claim) => void
  onError?: (claim: Claim, error: unknown) => void
}

/** Number of claims by result. */
export type Reconciliation = Record<'settled' | 'released' | 'open' | 'missing' | 'failed', number>

/** Chain time in seconds after which an expired authorization stays unused even through a short reorganisation. */
const VOID_MARGIN_SECONDS = 60
/** Number of claims resolved concurrently. */
const CONCURRENCY = 8
/** Maximum clock skew between the chain and us. */
const CLOCK_SLACK_SECONDS = 600n

/**
 * Resolves claims left open by a crash or a fault, and confirms settlements that the facilitator reported, using on-chain state.
 * A claim is settled if its nonce was used in a matching transfer. Otherwise a reported one is missing after two minutes,
 * any other is released if it can no longer be used, and the rest stays open.
 */
export async function reconcileClaims(options: ReconcileOptions): Promise<Reconciliation> {
  const { claims, network, now = Date.now, onError = () => {} } = options
  const result: Reconciliation = { settled: 0, released: 0, open: 0, missing: 0, failed: 0 }
  const queue = (await claims.unsettled()).filter((claim) => claim.network === network).reverse()
  const work = async () => {
    for (let claim = queue.pop(); claim !== undefined; claim = queue.pop()) {
      try {
        result[await reconcileOne(claim, options, now())] += 1
      } catch (error) {
        result.failed += 1
        onError(claim, error)
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return result
}

async function reconcileOne(
  claim: Claim,
  options: ReconcileOptions,
  at: number,
): Promise<Exclude<keyof Reconciliation, 'failed'>> {
  const {
    claims,
    chain,
    abandonedAfterMs = 180_000,
    settlingAfterMs = 90_000,
    missingAfterMs = 120_000,
  } = options
  const release = async () => {
    await claims.advance(claim, 'released', { at, answer: null })
    return 'released' as const
  }
  // `settling` is stored before the facilitator sees a payment, so nothing was sent for a `claimed` one.
  if (claim.state === 'claimed') return at - claim.claimedAt < abandonedAfterMs ? 'open' : release()
  if (claim.state === 'settling') {
    if (at - claim.updatedAt < settlingAfterMs) return 'open'
    await claims.advance(claim, 'unknown', { at })
  }
  if (claim.state === 'missing' && at > (claim.validBefore + VOID_MARGIN_SECONDS) * 1000) return 'missing'
  const head = await chain.getBlock({ blockTag: 'latest' })
  const use = await findUse(claim, options, head)
  if (use !== 'open' && use !== 'void') {
    await claims.advance(claim, 'settled', { at, txHash: use })
    return 'settled'
  }
  if (claim.state === 'missing') return 'missing'
  if (claim.state !== 'reported') return use === 'open' ? 'open' : release()
  // By the chain's own time, so that a node that lags accuses nobody.
  if (use === 'open' && Number(head.timestamp) * 1000 < claim.updatedAt + missingAfterMs) return 'open'
  const missing = await claims.advance(claim, 'missing', { at })
  options.onMissing?.(missing)
  return 'missing'
}

type Head = { readonly number: bigint; readonly timestamp: bigint }

/** Returns the transaction that settled a claim, `void` if none can any more, `open` if one still may. */
async function findUse(claim: Claim, options: ReconcileOptions, head: Head): Promise<Hex | 'open' | 'void'> {
  const { chain } = options
  if (claim.txHash !== null && (await isSettledBy(claim, hex(claim.txHash), chain))) return hex(claim.txHash)
  // Pin the block: another node behind the same RPC URL may lag and report a stale "not used".
  const isUsed = await chain.readContract({
    address: hex(claim.asset),
    abi: EIP3009,
    functionName: 'authorizationState',
    args: [hex(claim.from), hex(claim.nonce)],
    blockNumber: head.number,
  })
  if (!isUsed) return head.timestamp > BigInt(claim.validBefore + VOID_MARGIN_SECONDS) ? 'void' : 'open'
  const use = await findEvent(claim, options, head.number)
  if (use === 'open' || use === 'void') return use
  // The payer may have spent the nonce on another authorization that paid another address.
  return (await isSettledBy(claim, use, chain)) ? use : 'void'
}

/** Returns the transaction that used a nonce, `void` if it was cancelled. Searches back to the time of the claim. */
async function findEvent(
  claim: Claim,
  { chain, maxBlockRange = 1000 }: ReconcileOptions,
  head: bigint,
): Promise<Hex | 'open' | 'void'> {
  const address = hex(claim.asset)
  const args = { authorizer: hex(claim.from), nonce: hex(claim.nonce) }
  const since = BigInt(Math.floor(claim.claimedAt / 1000)) - CLOCK_SLACK_SECONDS
  for (let toBlock = head; toBlock >= 0n; toBlock -= BigInt(maxBlockRange)) {
    const first = toBlock - BigInt(maxBlockRange) + 1n
    const range = { address, args, fromBlock: first < 0n ? 0n : first, toBlock }
    const [used] = await chain.getLogs({ ...range, event: AUTHORIZATION_USED, strict: true })
    if (used) return used.transactionHash
    const [cancelled] = await chain.getLogs({ ...range, event: AUTHORIZATION_CANCELED, strict: true })
    if (cancelled) return 'void'
    const { timestamp } = await chain.getBlock({ blockNumber: range.fromBlock })
    if (timestamp < since) break
  }
  return 'open'
}
