import { expect, test } from 'vitest'
import { fillChain, someone, TOKEN } from '../testing/fillChain.ts'
import { createRpcCounts } from './rpcPurpose.ts'

const chain = await fillChain()

test('default: every call is counted once, by what it is made for', async () => {
  const rpc = await chain.quirky()
  const counts = createRpcCounts()
  const source = chain.sourceOf([rpc.url], { counts })
  const heads = await source.heads()
  expect(counts.totals()).toMatchObject({ heads: 4, receivers: 0 })
  await source.token(TOKEN)
  expect(counts.totals().token_facts).toBeGreaterThan(7)
  const toBlock = heads.latest.number
  await source.countedAs('tokens').transfers({ token: TOKEN, fromBlock: 1, toBlock, heads })
  expect(counts.totals().tokens).toBeGreaterThan(1)
  await source.receiver({ token: TOKEN, receiver: someone(1), historyDays: 1, spareRequests: 20 })
  expect(counts.totals().receivers).toBeGreaterThan(4)
  await source.countedAs('health').rpcs[0]?.call('eth_blockNumber', [])
  await source.countedAs('settlements').request('eth_getTransactionReceipt', [`0x${'00'.repeat(32)}`])
  expect(counts.totals()).toMatchObject({ health: 1, settlements: 1, token_days: 0 })
  await source.request('eth_blockNumber', [])
  const all = Object.values(counts.totals()).reduce((sum, calls) => sum + calls, 0)
  expect(all).toBe([...rpc.calls.values()].reduce((sum, calls) => sum + calls, 0))
})
