import { join } from 'node:path'
import { NETWORKS } from '@touchstone402/shared'
import {
  createDayAnswers,
  createTransferSource,
  type ReadDay,
  type RpcCounts,
  type TransferQuery,
  type TransferSource,
} from '@touchstone402/transfers'
import { getAddress } from 'viem'
import type { Context } from '../context.ts'
import { createDayQueue } from '../tokens/createDayQueue.ts'
import { createTokenDays } from '../tokens/tokenDays.ts'
import type { Scope } from './scope.ts'

/** Returns what token answers are made with. */
export const tokenAnswersDeps = (
  { config }: Pick<Context, 'config'>,
  trace: Scope['trace'],
  source: TransferSource,
) => ({
  source: {
    ...source,
    transfers: (query: TransferQuery) =>
      trace('token read', { token: query.token }, () => source.transfers(query)),
  },
  // The chain keeps real time, not the audit's clock.
  now: Date.now,
  checksum: (address: string) => getAddress(address),
  wellKnown: NETWORKS.filter(({ caip2 }) => caip2 === config.network).map(({ usdc }) => ({
    symbol: 'USDC',
    names: ['USD Coin'],
    address: getAddress(usdc),
  })),
})

/** Opens the queue that reads the days of tokens. */
export function openDayQueue(
  scope: Scope,
  ctx: Context,
  counts: RpcCounts,
): (signal: AbortSignal) => Promise<void> {
  const queue = createDayQueue(ctx, {
    days: createTokenDays(ctx),
    readDay: createDayReader(scope, ctx, counts),
    now: Date.now,
  })
  return queue.run
}

/**
 * Creates the reader of days. Each day has a source of its own: reads of one token wait for each other within a source, so
 * a day that takes minutes would hold up paid calls, and a day of millions of transfers would stay in memory.
 */
function createDayReader({ trace }: Scope, ctx: Context, counts: RpcCounts): ReadDay {
  const { config } = ctx
  return async (query) => {
    const source = createTransferSource({
      chainId: Number(config.network.slice('eip155:'.length)),
      urls: config.rpcUrls,
      cacheFolder: join(config.dataDir, 'chain-days'),
      counts,
      now: Date.now,
    })
    try {
      return await createDayAnswers(tokenAnswersDeps(ctx, trace, source.countedAs('token_days')))(query)
    } finally {
      await source.close()
    }
  }
}
