import type { PublicClient } from 'viem'

/** Chain time in seconds after which a reported settlement that the chain does not show is missing. */
const MISSING_AFTER_SECONDS = 120n

/**
 * Returns a client that reads the newest block two minutes ahead: a reported settlement is missing as soon as there is a
 * newer block. Blocks by number keep their times, since no transfer stands in a block after its expiry.
 */
export function chainAhead<T extends Pick<PublicClient, 'getBlock'>>(chain: T): T {
  const getBlock = async (asked: { blockNumber: bigint } | { blockTag: 'latest' }) => {
    const block = await chain.getBlock(asked)
    const ahead = 'blockTag' in asked ? MISSING_AFTER_SECONDS : 0n
    return { ...block, timestamp: block.timestamp + ahead }
  }
  return { ...chain, getBlock }
}
