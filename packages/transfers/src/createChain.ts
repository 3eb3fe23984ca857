import { join } from 'node:path'
import { NETWORKS } from '@touchstone402/shared'
import { getAddress } from 'viem'
import type { Chain, ChainOptions, DayFailure, DayRead, Payment, PaymentQuery } from './chain.ts'
import { ChainError } from './chainError.ts'
import { addressAt, logIndexAt, txHashAt, valueAt } from './columns/columns.ts'
import { createTransferSource } from './createTransferSource.ts'
import { createDayAnswers } from './figures/dayAnswers.ts'
import { profileReceiver } from './figures/profileReceiver.ts'
import type { TokenAnswersDeps } from './figures/readWindow.ts'
import { createTokenAnswers } from './figures/tokenAnswers.ts'
import { createRpcCounts } from './rpc/rpcPurpose.ts'
import { TokenError } from './tokenError.ts'
import type { TransferColumns, TransferSource } from './types.ts'
import { createTokenWarmer } from './warmTokens.ts'

// The default window of the token operations, and the previous one that `/momentum` compares it with.
const WARM_SECONDS = 7200

/**
 * Creates a chain that runs in the calling thread. Its clock is the machine's.
 * @param onWarmError called with the reason if a token of `warmTokens` cannot be read; it is tried again
 */
export function createChain(
  { chainId, urls, folder, warmTokens }: ChainOptions,
  onWarmError: (token: string, error: unknown) => void,
): Chain {
  const counts = createRpcCounts()
  const open = (cacheFolder: string) =>
    createTransferSource({ chainId, urls, counts, now: Date.now, cacheFolder: join(folder, cacheFolder) })
  const source = open('chain')
  const { rpcs, blockAtOrBefore, blockTimes, request } = source
  const forTokens = source.countedAs('tokens')
  const warmer = createTokenWarmer({
    source: forTokens,
    tokens: warmTokens,
    windowSeconds: WARM_SECONDS,
    onError: onWarmError,
  })
  if (warmTokens.length > 0) warmer.start()

  return {
    chainId,
    hosts: rpcs.map(({ host }) => host),
    heads: source.heads,
    blockAtOrBefore: ({ time, ...read }) => blockAtOrBefore(time, read),
    blockTimes: ({ blocks, ...read }) => blockTimes(blocks, read),
    async payments(query) {
      const { columns } = await source.transfers(query)
      return listPayments(columns, query)
    },
    profile: async (query) => profileReceiver(await source.receiver(query)),
    ...createTokenAnswers(answersDeps(forTokens)),
    async day({ requests, ...query }) {
      // Reads of one token wait for each other within a source, so a day that takes minutes would hold up paid calls, and
      // a day of millions of transfers would stay in memory.
      const ownSource = open('chain-days')
      const allowance = { left: requests }
      const end = (outcome: Pick<DayRead, 'answers' | 'failure'>) =>
        ({ ...outcome, requestsLeft: Math.max(0, allowance.left) }) as DayRead
      try {
        const readDay = createDayAnswers(answersDeps(ownSource.countedAs('token_days')))
        return end({ answers: await readDay({ ...query, allowance }), failure: null })
      } catch (error) {
        return end({ answers: null, failure: toFailure(error) })
      } finally {
        await ownSource.close()
      }
    },
    request: ({ method, params, ...read }) => request(method, params, read),
    async requestOf({ rpc, method, params, ...read }) {
      const one = rpcs[rpc]
      if (one === undefined) throw new RangeError(`There is no RPC ${rpc}`)
      return one.call(method, params, read)
    },
    counts: async () => ({
      rpcs: rpcs.map((rpc) => ({ requests: rpc.requests(), failures: rpc.failures() })),
      byPurpose: counts.totals(),
    }),
    async close() {
      await Promise.all([warmer.stop(), source.close()])
    },
  }
}

const answersDeps = (source: TransferSource): TokenAnswersDeps => ({
  source,
  now: Date.now,
  checksum: (address) => getAddress(address),
  wellKnown: NETWORKS.filter(({ caip2 }) => caip2 === `eip155:${source.chainId}`).map(({ usdc }) => ({
    symbol: 'USDC',
    names: ['USD Coin'],
    address: getAddress(usdc),
  })),
})

function listPayments(columns: TransferColumns, { minValue = 0n, maxValue, limit }: PaymentQuery): Payment[] {
  const payments: Payment[] = []
  for (let row = 0; row < columns.count && payments.length < limit; row++) {
    const value = valueAt(columns, row)
    if (value < minValue || (maxValue !== undefined && value > maxValue)) continue
    payments.push({
      from: addressAt(columns, columns.from[row] ?? 0),
      to: addressAt(columns, columns.to[row] ?? 0),
      value,
      block: columns.block[row] ?? 0,
      txHash: txHashAt(columns, columns.tx[row] ?? 0),
      logIndex: logIndexAt(columns, row),
    })
  }
  return payments
}

function toFailure(error: unknown): DayFailure {
  const message = error instanceof Error ? error.message : String(error)
  const isKnown = error instanceof ChainError || error instanceof TokenError
  return { code: isKnown ? error.code : 'internal', message }
}
