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

export type ReconcileOptions = {
  claims: ClaimStore
  /** A client of the claims' network; claims on other networks are left alone. */
  chain: Pick<PublicClient, 'readContract' | 'getBlock' | 'getLogs' | 'getTransactionReceipt'>
  /** CAIP-2 of that client. */
  network: string
  /** Real time, milliseconds since 1970. @default Date.now */
  now?: () => number
  /** A claim whose call should have ended long ago: its process has died. More than verification and the slowest handler take together. @default 180000 */
  abandonedAfterMs?: number
  /** A settlement that should have been answered long ago. @default 90000 */
  settlingAfterMs?: number
  /** How many blocks one log request may span. @default 1000 */
  maxBlockRange?: number
  onError?: (claim: Claim, error: unknown) => void
}

export type Reconciliation = { settled: number; released: number; open: number; failed: number }

/** Seconds of chain time after which an authorization that is void stays unused even through a short reorganisation. */
const VOID_MARGIN_SECONDS = 60
/** How far the chain's clock and ours may be apart. */
const CLOCK_SLACK_SECONDS = 600n

/**
 * Brings claims to an end that a crash or a fault left open, by what the chain shows: a settled one was used in a
 * transfer of the amount to the receiver, a released one can no longer be used. What is neither stays open.
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
  if (claim.state === 'claimed') {
    // `settling` is written before the facilitator hears of a payment, so nothing was sent for this one.
    if (at - claim.claimedAt < abandonedAfterMs) return 'open'
    await claims.advance(claim, 'released', { at, answer: null })
    return 'released'
  }
  if (claim.state === 'settling') {
    if (at - claim.updatedAt < settlingAfterMs) return 'open'
    await claims.advance(claim, 'unknown', { at })
  }
  const found = await lookUp(claim, options)
  if (found === 'open') return 'open'
  if (found === 'void') {
    await claims.advance(claim, 'released', { at, answer: null })
    return 'released'
  }
  await claims.advance(claim, 'settled', { at, txHash: found.txHash })
  return 'settled'
}

/** What the chain shows of an authorization. */
async function lookUp(
  claim: Claim,
  options: ReconcileOptions,
): Promise<'open' | 'void' | { txHash: string }> {
  const { chain } = options
  const head = await chain.getBlock({ blockTag: 'latest' })
  // At that very block: another node of the provider may be behind, and "not used" would be yesterday's news.
  const isUsed = await chain.readContract({
    address: hex(claim.asset),
    abi: EIP3009,
    functionName: 'authorizationState',
    args: [hex(claim.from), hex(claim.nonce)],
    blockNumber: head.number,
  })
  if (!isUsed) return head.timestamp > BigInt(claim.validBefore + VOID_MARGIN_SECONDS) ? 'void' : 'open'
  const txHash = await findUse(claim, options, head.number)
  if (txHash === 'open' || txHash === 'void') return txHash
  // A nonce may be spent on another authorization of the same payer, which then paid somebody else.
  return (await isPaidBy(claim, txHash, chain)) ? { txHash } : 'void'
}

/** The transaction in which a nonce was used, `void` where it was cancelled; searched back to when it was claimed. */
async function findUse(
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
  if (!isHex(text)) throw new Error('a claim holds hexadecimal identifiers')
  return text
}
