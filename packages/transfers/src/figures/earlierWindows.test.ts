import { numberToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTransferSource } from '../createTransferSource.ts'
import { emit, placeEventToken } from '../testing/eventToken.ts'
import { type QuirkyRpc, startQuirkyRpc } from '../testing/quirkyRpc.ts'
import { useChain } from '../testing/useChain.ts'
import type { Address, TransferSource } from '../types.ts'
import { type CurrentWindow, readPrevious, readTrailing } from './earlierWindows.ts'

const TOKEN: Address = `0x${'7'.repeat(40)}`
const SECONDS = 300
const someone = (n: number): Address => `0x${(n + 16).toString(16).padStart(40, '3')}`

const anvil = await useChain()
/** Time that was waited, in ms: finalized blocks are complete once they were read again a minute later. */
let waited = 0
let rpc: QuirkyRpc
let source: TransferSource

beforeAll(async () => {
  await placeEventToken(anvil, TOKEN)
  // Blocks become rarer: the same time has ever fewer of them.
  for (let i = 0; i < 90; i++) {
    await anvil.rpc('evm_increaseTime', [10 + i])
    await emit(anvil, TOKEN, [{ from: someone(1), to: someone(2), value: BigInt(i + 1) }])
  }
  // Makes all of these final.
  await anvil.rpc('anvil_mine', [numberToHex(80), numberToHex(1)])
  rpc = await startQuirkyRpc((method, params) => anvil.rpc(method, params))
  source = createTransferSource({ chainId: 31337, urls: [rpc.url], now: () => Date.now() + waited })
})
afterAll(async () => {
  await source.close()
  await rpc.stop()
})

const timeOf = async (block: number) =>
  Number(
    ((await anvil.rpc('eth_getBlockByNumber', [numberToHex(block), false])) as { timestamp: string })
      .timestamp,
  )
async function currentWindow(): Promise<CurrentWindow> {
  const heads = await source.heads()
  const startsAt = heads.latest.time - SECONDS
  const { number } = await source.firstBlockAfter(startsAt, heads)
  return { token: TOKEN, fromBlock: number, startsAt, seconds: SECONDS, heads }
}
/** Blocks with a time after `start` and up to `end`, by asking for each. */
async function blocksBetween(start: number, end: number): Promise<number[]> {
  const head = Number(await anvil.rpc('eth_blockNumber'))
  const found: number[] = []
  for (let block = 0; block <= head; block++) {
    const time = await timeOf(block)
    if (time > start && time <= end) found.push(block)
  }
  return found
}

test('default: the previous window takes the same time, whatever its number of blocks', async () => {
  const current = await currentWindow()
  expect(await readPrevious(source, current, {})).toMatchObject({ complete: false })
  waited += 60_000
  const previous = await readPrevious(source, current, {})
  const blocks = await blocksBetween(current.startsAt - SECONDS, current.startsAt)
  expect([previous.fromBlock, previous.toBlock]).toEqual([blocks[0], blocks.at(-1)])
  expect(previous).toMatchObject({
    fromTime: await timeOf(previous.fromBlock),
    toTime: await timeOf(previous.toBlock),
    complete: true,
  })
  expect(previous.columns.count).toBe(blocks.filter((block) => block <= 90).length)
})

test('behavior: trailing windows are those that are cached, of equal time each', async () => {
  const current = await currentWindow()
  const previous = await readPrevious(source, current, {})
  rpc.calls.clear()
  expect(await readTrailing(source, current, previous, {})).toEqual([])
  // Nothing is cached, so no start of a window is looked for.
  expect([...rpc.calls]).toEqual([])
  // Caches three windows before the previous one.
  const [first = 0] = await blocksBetween(current.startsAt - 4 * SECONDS, current.startsAt)
  const cached = { token: TOKEN, fromBlock: first, toBlock: previous.fromBlock - 1 }
  await source.transfers(cached)
  expect(await readTrailing(source, current, previous, {})).toEqual([])
  waited += 60_000
  await source.transfers(cached)
  const trailing = await readTrailing(source, current, previous, {})
  const counts: number[] = []
  for (const back of [2, 3, 4]) {
    const end = current.startsAt - (back - 1) * SECONDS
    counts.push((await blocksBetween(end - SECONDS, end)).length)
  }
  expect(trailing.map(({ count }) => count)).toEqual(counts.slice(0, trailing.length))
  expect(trailing).toHaveLength(3)
  // Windows of many transfers are fewer: all of them are in memory at once.
  const withRows = (count: number) => ({ ...previous, columns: { ...previous.columns, count } })
  expect(await readTrailing(source, current, withRows(2_000_000), {})).toHaveLength(2)
  expect(await readTrailing(source, current, withRows(4_000_001), {})).toEqual([])
})

test('behavior: a window that begins before the chain is not complete', async () => {
  const current = await currentWindow()
  const seconds = current.heads.latest.time - (await timeOf(0)) - 100
  const startsAt = current.heads.latest.time - seconds
  const { number } = await source.firstBlockAfter(startsAt, current.heads)
  const previous = await readPrevious(source, { ...current, seconds, startsAt, fromBlock: number }, {})
  expect(previous).toMatchObject({ fromBlock: 0, complete: false })
  expect(await readTrailing(source, { ...current, seconds, startsAt }, previous, {})).toEqual([])
})
