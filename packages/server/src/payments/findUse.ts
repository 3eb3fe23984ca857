import { type Hex, type PublicClient, parseAbiItem } from 'viem'
import { AUTHORIZATION_STATE, AUTHORIZATION_USED } from '../lib/eip3009.ts'
import type { OpenClaim } from '../store/claims.ts'
import { type ClaimedTransfer, hex, isSettledBy } from './readSettlement.ts'

/** Source: EIP-3009. */
const AUTHORIZATION_CANCELED = parseAbiItem(
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
)

/** Chain time in seconds after which an expired authorization stays unused even through a short reorganisation. */
export const VOID_MARGIN_SECONDS = 60
/** Maximum number of blocks per log request, and the number that every RPC takes. */
const MAX_BLOCK_RANGE = 1000n
const MIN_BLOCK_RANGE = 8n
/** Maximum number of log requests of one search: an RPC may call any nonce used. */
const MAX_LOG_REQUESTS = 200
/** Maximum clock skew between the chain and us. */
const CLOCK_SLACK_SECONDS = 600n

/** Reads of the chain that find how an authorization was used. */
export type UseReader = Pick<PublicClient, 'readContract' | 'getBlock' | 'getLogs' | 'getTransactionReceipt'>

/** A block up to which an authorization's use is looked for; its time in Unix seconds. */
export type Head = { readonly number: bigint; readonly timestamp: bigint }

/** Fields of a claim that its use is found by. */
export type UsableClaim = ClaimedTransfer & Pick<OpenClaim, 'validBefore' | 'claimedAt' | 'sentAt' | 'txHash'>

/**
 * The transaction that settled a claim, `void` if none can any more, `open` if one still may, `used` if the node has no trace
 * of the one that used its nonce.
 */
export type Use = Hex | 'open' | 'used' | 'void'

/** Returns whether a use is a settlement, and so the transaction. */
export const isSettlement = (use: Use): use is Hex => use !== 'open' && use !== 'used' && use !== 'void'

/**
 * Finds how the authorization of a claim was used. A used nonce alone is no payment: it may have moved another amount, or
 * gone elsewhere.
 * @param nowMs our own time, since one block from the future must not void what is still valid
 * @returns the use, and what kept a used nonce from being explained
 * @throws Error if the chain cannot be read
 */
export async function findUse(
  chain: UseReader,
  claim: UsableClaim,
  head: Head,
  nowMs: number,
): Promise<{ readonly use: Use; readonly cause?: unknown }> {
  // A node without receipts may still know the state.
  if (claim.txHash !== null && (await isSettledBy(claim, hex(claim.txHash), chain).catch(() => false)))
    return { use: hex(claim.txHash) }
  // Pin the block: another node behind the same RPC URL may lag and report a stale "not used".
  const isUsed = await chain.readContract({
    address: hex(claim.asset),
    abi: AUTHORIZATION_STATE,
    functionName: 'authorizationState',
    args: [hex(claim.from), hex(claim.nonce)],
    blockNumber: head.number,
  })
  if (!isUsed) {
    const voidFrom = claim.validBefore + VOID_MARGIN_SECONDS
    return { use: head.timestamp > BigInt(voidFrom) && nowMs > voidFrom * 1000 ? 'void' : 'open' }
  }
  try {
    const use = await findEvent(chain, claim, await lastUsable(chain, claim, head))
    if (use === 'used' || use === 'void') return { use }
    const isSettled = await isSettledBy(claim, use, chain)
    if (isSettled === undefined) return { use: 'used' }
    // The payer may have spent the nonce on another authorization that paid another address.
    return { use: isSettled ? use : 'void' }
  } catch (cause) {
    return { use: 'used', cause }
  }
}

/** Returns a block after the expiry of a claim, less than a range of blocks late, or the head if that is earlier. */
async function lastUsable(chain: UseReader, { validBefore }: UsableClaim, head: Head): Promise<bigint> {
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

/** Returns the transaction that used a nonce, `void` if it was cancelled. Searches back to when it was first sent. */
async function findEvent(chain: UseReader, claim: UsableClaim, last: bigint): Promise<Hex | 'used' | 'void'> {
  const address = hex(claim.asset)
  const args = { authorizer: hex(claim.from), nonce: hex(claim.nonce) }
  const since = BigInt(Math.floor((claim.sentAt ?? claim.claimedAt) / 1000)) - CLOCK_SLACK_SECONDS
  let size = MAX_BLOCK_RANGE
  let toBlock = last
  for (let requests = 0; toBlock >= 0n && requests < MAX_LOG_REQUESTS; requests += 2) {
    const first = toBlock - size + 1n
    const range = { address, args, fromBlock: first < 0n ? 0n : first, toBlock }
    try {
      const [used] = await chain.getLogs({ ...range, event: AUTHORIZATION_USED, strict: true })
      if (used) return used.transactionHash
      const [cancelled] = await chain.getLogs({ ...range, event: AUTHORIZATION_CANCELED, strict: true })
      if (cancelled) return 'void'
    } catch (error) {
      // The range may be what the RPC refuses.
      if (size <= MIN_BLOCK_RANGE) throw error
      size /= 5n
      continue
    }
    const { timestamp } = await chain.getBlock({ blockNumber: range.fromBlock })
    if (timestamp < since) break
    toBlock -= size
  }
  return 'used'
}
