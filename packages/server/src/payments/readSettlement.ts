import { sameAddress } from '@touchstone402/shared'
import {
  type Hex,
  isHex,
  type PublicClient,
  parseAbiItem,
  parseEventLogs,
  TransactionReceiptNotFoundError,
} from 'viem'
import { AUTHORIZATION_USED } from '../lib/eip3009.ts'
import type { Claim } from '../store/claims.ts'

const EVENTS = [
  AUTHORIZATION_USED,
  parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)'),
] as const

/** Fields of a claim that its settlement must show. */
export type ClaimedTransfer = Pick<Claim, 'asset' | 'from' | 'nonce' | 'payTo' | 'amountAtomic'>

/**
 * Returns whether a mined transaction settled a claim: it used the nonce, and the transfer that follows moved the amount
 * from the payer to the receiver. The order matters, because one transaction can use several authorizations of a payer.
 * Returns undefined if the node knows no receipt.
 * @throws Error if the chain cannot be read
 */
export async function isSettledBy(
  claim: ClaimedTransfer,
  hash: Hex,
  chain: Pick<PublicClient, 'getTransactionReceipt'>,
): Promise<boolean | undefined> {
  const receipt = await chain.getTransactionReceipt({ hash }).catch((error: unknown) => {
    if (error instanceof TransactionReceiptNotFoundError) return undefined
    throw error
  })
  if (receipt === undefined) return undefined
  if (receipt.status !== 'success') return false
  const logs = receipt.logs.filter(({ address }) => sameAddress(address, claim.asset))
  const events = parseEventLogs({ abi: EVENTS, logs, strict: true })
  const used = events.findIndex(
    ({ eventName, args }) =>
      eventName === 'AuthorizationUsed' &&
      sameAddress(args.authorizer, claim.from) &&
      args.nonce.toLowerCase() === claim.nonce.toLowerCase(),
  )
  const transfer = used < 0 ? undefined : events[used + 1]
  return (
    transfer?.eventName === 'Transfer' &&
    sameAddress(transfer.args.from, claim.from) &&
    sameAddress(transfer.args.to, claim.payTo) &&
    transfer.args.value === BigInt(claim.amountAtomic)
  )
}

/** @throws Error if the text is not hexadecimal */
export function hex(text: string): Hex {
  if (!isHex(text)) throw new Error(`"${text}" in a claim is not hexadecimal`)
  return text
}
