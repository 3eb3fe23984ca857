import { sameAddress } from '@touchstone402/shared'
import { type Hex, isHex, type PublicClient, parseAbi, parseAbiItem, parseEventLogs } from 'viem'
import type { Claim, ClaimStore } from '../../ports/claims.ts'

/** Source: EIP-3009 and ERC-20. */
const AUTHORIZATION_USED = parseAbiItem(
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
)
const AUTHORIZATION_CANCELED = parseAbiItem(
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
)
const EIP3009 = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
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
  /** Maximum number of blocks per log request. @default 1000 */
  maxBlockRange?: number
  onError?: (claim: Claim, error: unknown) => void
}

/** Number of claims by result. */
export type Reconciliation = { settled: number; released: number; open: number; failed: number }

/** Chain time in seconds after which an expired authorization stays unused even through a short reorganisation. */
const VOID_MARGIN_SECONDS = 60
/** Maximum clock skew between the chain and us. */
const CLOCK_SLACK_SECONDS = 600n

/**
 * Resolves claims left open by a crash or a fault, using on-chain state.
 * A claim is settled if its nonce was used in a matching transfer, released if it can no longer be used; otherwise it stays open.
 */
export async function reconcileClaims(options: ReconcileOptions): Promise<Reconciliation> {
  const { claims, network, now = Date.now, onError = () => {} } = options
  const result: Reconciliation = { settled: 0, released: 0, open: 0, failed: 0 }
  for (const claim of await claims.unsettled()) {
    if (claim.network !== network) continue
    try {
      result[await reconcileOne(claim, options, now())] += 1
    } catch (error) {
      result.failed += 1
      onError(claim, error)
    }
  }
  return result
}

async function reconcileOne(
  claim: Claim,
  options: ReconcileOptions,
  at: number,
): Promise<'settled' | 'released' | 'open'> {
  const { claims, abandonedAfterMs = 180_000, settlingAfterMs = 90_000 } = options
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
  const use = await findUse(claim, options)
  if (use === 'open') return 'open'
  if (use === 'void') return release()
  await claims.advance(claim, 'settled', { at, txHash: use })
  return 'settled'
}

/** Returns the transaction that settled a claim, `void` if none can any more, `open` if one still may. */
async function findUse(claim: Claim, options: ReconcileOptions): Promise<Hex | 'open' | 'void'> {
  const { chain } = options
  const head = await chain.getBlock({ blockTag: 'latest' })
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
  return (await isPaidBy(claim, use, chain)) ? use : 'void'
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

async function isPaidBy(claim: Claim, txHash: Hex, chain: ReconcileOptions['chain']): Promise<boolean> {
  const { status, logs } = await chain.getTransactionReceipt({ hash: txHash })
  if (status !== 'success') return false
  return parseEventLogs({ abi: EIP3009, eventName: 'Transfer', logs, strict: true }).some(
    ({ address, args }) =>
      sameAddress(address, claim.asset) &&
      sameAddress(args.from, claim.from) &&
      sameAddress(args.to, claim.payTo) &&
      args.value === BigInt(claim.amountAtomic),
  )
}

function hex(text: string): Hex {
  if (!isHex(text)) throw new Error(`"${text}" in a claim is not hexadecimal`)
  return text
}
