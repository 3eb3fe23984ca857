import type { PublicClient } from 'viem'

/** Chain time in seconds after which a reported settlement that the chain does not show is missing. */
const MISSING_AFTER_SECONDS = 120n

/** Returns a client that reads the chain two minutes ahead: a reported settlement is missing as soon as there is a newer block. */
export function chainAhead<T extends Pick<PublicClient, 'getBlock'>>(chain: T): T {
  const getBlock = async (asked: { blockNumber: bigint } | { blockTag: 'latest' }) => {
    const block = await chain.getBlock(asked)
    return {
      ...block,
      timestamp: block.timestamp + MISSING_AFTER_SECONDS,
    }
  }
  return { ...chain, getBlock }
}
