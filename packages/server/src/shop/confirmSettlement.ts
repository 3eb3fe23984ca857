import { setTimeout as wait } from 'node:timers/promises'
import type { Address, Hex, PublicClient } from 'viem'
import { AUTHORIZATION_STATE, AUTHORIZATION_USED } from '../lib/eip3009.ts'

export type ChainView = Pick<PublicClient, 'readContract' | 'getBlockNumber' | 'getLogs'>

/** A payment authorization that was sent. */
export type SentPayment = { readonly asset: Address; readonly authorizer: Address; readonly nonce: Hex }

/** Number of blocks searched for the settlement: half an hour on Base. */
const BLOCKS = 900n
const POLL_MS = 1000

/**
 * Returns the transaction that settled a payment, or null if there is none in time.
 * A nonce can only be used with its owner's signature, so the event alone proves the payment.
 * @param waitMs maximum wait; sellers settle within seconds
 */
export async function confirmSettlement(
  chain: ChainView,
  { asset, authorizer, nonce }: SentPayment,
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
): Promise<Hex | null> {
  const until = performance.now() + waitMs
  for (;;) {
    const isUsed = await chain.readContract({
      address: asset,
      abi: AUTHORIZATION_STATE,
      functionName: 'authorizationState',
      args: [authorizer, nonce],
    })
    if (isUsed) {
      const head = await chain.getBlockNumber({ cacheTime: 0 })
      const [used] = await chain.getLogs({
        address: asset,
        event: AUTHORIZATION_USED,
        args: { authorizer, nonce },
        fromBlock: head > BLOCKS ? head - BLOCKS : 0n,
        strict: true,
      })
      if (used !== undefined) return used.transactionHash
    }
    if (performance.now() >= until) return null
    await wait(POLL_MS, undefined, { signal })
  }
}
