import {
  createPaymentContext,
  readUnsettled,
  reconcileClaims,
  type Store,
} from '@touchstone402/server/testing'
import type { PublicClient } from 'viem'

/**
 * Reconciles all open claims of a store with the chain once. Returns their number by result.
 * @param aheadMs by how much the time of the store is ahead of real time. @default 0
 */
export async function reconcile(
  store: Store,
  { publicClient, network }: { readonly publicClient: PublicClient; readonly network: string },
  aheadMs = 0,
) {
  const { ctx } = createPaymentContext(store, { network }, () => Date.now() + aheadMs)
  const round = { at: ctx.now(), observations: new Map() }
  const { results } = await reconcileClaims(ctx, publicClient, await readUnsettled(store), round)
  return results
}
