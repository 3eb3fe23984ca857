import { numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { ChainError } from '../chainError.ts'
import { createLearnedLimits } from '../rpc/learnedLimits.ts'
import type { Member, RpcPool } from '../rpc/rpcPool.ts'
import type { Heads } from '../types.ts'
import { createSeries } from './series.ts'

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const TOKEN = `0x${'11'.repeat(20)}` as const
const word = (number: number) => numberToHex(number, { size: 32 })
const blockOf = (number: number) => ({ number, hash: word(number + 7000), time: number })
const headsOf = (finalized: number, latest: number): Heads => ({
  finalized: blockOf(finalized),
  safe: blockOf(finalized),
  latest: blockOf(latest),
})

/** A series over an RPC with one transfer in each of the given blocks, which reads at most ten blocks per request. */
function open(blocks: readonly number[]) {
  const state = { failsFrom: Number.POSITIVE_INFINITY }
  const logOf = (block: number) => ({
    address: TOKEN,
    topics: [TRANSFER, word(1), word(2)],
    data: word(1000),
    blockNumber: numberToHex(block),
    transactionHash: word(block),
    transactionIndex: '0x0',
    blockHash: word(block + 7000),
    logIndex: '0x0',
    removed: false,
  })
  const member: Pick<Member, 'ordinal' | 'limits' | 'headSeen' | 'logsSeen' | 'call' | 'post' | 'reaching'> =
    {
      ordinal: 0,
      limits: createLearnedLimits(),
      headSeen: 1_000_000,
      logsSeen: -1,
      reaching: new Map(),
      // Logs by the hash of a block.
      async call(_, [filter]) {
        const { blockHash } = filter as { blockHash: string }
        return blocks.filter((block) => word(block + 7000) === blockHash).map(logOf)
      },
      async post(request) {
        const [{ fromBlock, toBlock }] = JSON.parse(JSON.stringify(request)).params
        const [from, to] = [Number(fromBlock), Number(toBlock)]
        if (from >= state.failsFrom) throw new ChainError('deadline', 'out of time')
        const answer =
          to - from >= 10
            ? { error: { code: -32602, message: 'block range is too wide, maximum allowed is 10 blocks' } }
            : { result: blocks.filter((block) => block >= from && block <= to).map(logOf) }
        const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer }))
        return { status: 200, retryAfterMs: null, readAll: async () => body }
      },
    }
  const pool = {
    size: 1,
    use: (work: (one: Member) => unknown) => work(member as Member),
  } as unknown as RpcPool
  const series = createSeries({
    pool,
    filter: { token: TOKEN },
    name: 'transfers',
    cache: null,
    seed: 1,
    maxRows: 1_000_000,
    getBlock: async (number) => blockOf(number),
    now: () => 0,
  })
  return { series, state }
}

test('behavior: a partial read returns each transfer once after the blocks of a cached tail became final', async () => {
  const { series, state } = open([95, 105])
  await series.read({ from: 90, to: 120 }, headsOf(100, 120), { newestFirst: true })
  await series.read({ from: 90, to: 108 }, headsOf(110, 120), {})
  state.failsFrom = 115
  const { columns, failure } = await series.read({ from: 90, to: 125 }, headsOf(110, 125), {
    newestFirst: true,
  })
  expect(failure?.code).toBe('deadline')
  expect([...columns.block.subarray(0, columns.count)]).toEqual([95, 105])
})
