import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { walletAt } from '../wallets.ts'
import { HISTORY_DAYS, PAYERS, type PastReceiver, planHistory } from './history.ts'
import { type Chain, startChain } from './startChain.ts'
import { USDC, usdcAbi } from './usdc.ts'

const DAY_S = 86_400
const receivers: PastReceiver[] = [
  { address: walletAt(100).address, past: 'established', amountAtomic: 10_000n },
  { address: walletAt(101).address, past: 'dormant', amountAtomic: 20_000n },
  { address: walletAt(102).address, past: 'none', amountAtomic: 10_000n },
]

describe('planHistory', () => {
  test('default: plans the same history every time', () => {
    expect(planHistory(receivers, 240)).toEqual(planHistory(receivers, 240))
  })

  test.each([90, 240, 2_000])('behavior: %i blocks contain every kind of history', (blocks) => {
    const perDay = blocks / HISTORY_DAYS
    const receipts = planHistory(receivers, blocks).flatMap((transfers, block) =>
      transfers.map((transfer) => ({ ...transfer, daysAgo: (blocks - block) / perDay })),
    )
    const to = (index: number) => receipts.filter((receipt) => receipt.to === receivers[index]?.address)
    const recent = to(0).filter(({ daysAgo }) => daysAgo <= 30)
    expect(recent.length).toBeGreaterThanOrEqual(60)
    expect(new Set(recent.map(({ from }) => from)).size).toBeGreaterThanOrEqual(15)
    expect(Math.min(...to(0).map(({ daysAgo }) => daysAgo))).toBeLessThan(5)
    expect(to(1).length).toBeGreaterThanOrEqual(60)
    expect(Math.min(...to(1).map(({ daysAgo }) => daysAgo))).toBeGreaterThan(32)
    expect(to(2)).toEqual([])
    expect(receipts.every(({ from }) => PAYERS.includes(from))).toBe(true)
  })

  test('error: refuses too few blocks', () => {
    expect(() => planHistory(receivers, 89)).toThrow(RangeError)
  })
})

describe('startChain', () => {
  let chain: Chain
  beforeAll(async () => {
    chain = await startChain({ receivers, funded: [] })
  })
  afterAll(() => chain.stop())

  test('default: the planned transfers are on chain, at their planned times, and final', async () => {
    const nowS = Date.now() / 1000
    const finalized = await chain.publicClient.getBlock({ blockTag: 'finalized' })
    const logs = await chain.publicClient.getContractEvents({
      address: USDC,
      abi: usdcAbi,
      eventName: 'Transfer',
      fromBlock: 0n,
      toBlock: finalized.number,
    })
    const received = async (index: number) => {
      const own = logs.filter((log) => log.args.to === receivers[index]?.address)
      const blocks = [...new Set(own.map((log) => log.blockNumber))]
      const times = await Promise.all(
        blocks.map((blockNumber) => chain.publicClient.getBlock({ blockNumber })),
      )
      const ages = times.map((block) => (nowS - Number(block.timestamp)) / DAY_S)
      return { count: own.length, youngestDays: Math.min(...ages), oldestDays: Math.max(...ages) }
    }
    const established = await received(0)
    expect(established.count).toBeGreaterThanOrEqual(60)
    expect(established.youngestDays).toBeLessThan(2)
    expect(established.oldestDays).toBeLessThan(30)
    expect((await received(1)).youngestDays).toBeGreaterThan(32)
    expect(await chain.usdcBalanceOf(walletAt(100).address)).toBe(BigInt(established.count) * 10_000n)
  })

  test('behavior: block times increase, from 45 days ago to now', async () => {
    const head = Number(await chain.publicClient.getBlockNumber())
    const blocks = await Promise.all(
      Array.from({ length: head + 1 }, (_, number) =>
        chain.publicClient.getBlock({ blockNumber: BigInt(number) }),
      ),
    )
    const times = blocks.map((block) => Number(block.timestamp))
    expect(times).toEqual([...times].sort((a, b) => a - b))
    const nowS = Date.now() / 1000
    expect(nowS - (times[0] ?? nowS)).toBeGreaterThan(45 * DAY_S)
    expect(Math.abs(nowS - (times.at(-1) ?? 0))).toBeLessThan(10)
  })

  test('behavior: later blocks have real timestamps', async () => {
    for (let count = 0; count < 20; count++) await chain.mintUsdc(walletAt(102).address, 1n)
    await chain.mine(5)
    const block = await chain.publicClient.getBlock()
    expect(Math.abs(Date.now() / 1000 - Number(block.timestamp))).toBeLessThan(10)
    expect(await chain.usdcBalanceOf(walletAt(102).address)).toBe(20n)
  })
})
