import { expect, test } from 'vitest'
import { emit } from './testing/eventToken.ts'
import { fillChain, rowsOf, someone, TOKEN } from './testing/fillChain.ts'
import { BLOCK_REFUSALS } from './testing/refusals.ts'

const chain = await fillChain()

test('default: reads all transfers in two log requests, and the newest block by its hash', async () => {
  const rpc = await chain.quirky()
  await chain.expectRows(chain.sourceOf([rpc.url]))
  expect(rpc.calls.get('eth_getLogs')).toBe(3)
})

test('behavior: filters by recipient and by sender', async () => {
  const source = chain.sourceOf([chain.anvil.url])
  const toBlock = await chain.headOf()
  const all = await chain.oracle(1, toBlock)
  const to = await source.transfers({ token: TOKEN, fromBlock: 1, toBlock, to: someone(3) })
  const from = await source.transfers({ token: TOKEN, fromBlock: 1, toBlock, from: someone(3) })
  expect(rowsOf(to.columns)).toEqual(all.filter((row) => row.to === someone(3)))
  expect(rowsOf(from.columns)).toEqual(all.filter((row) => row.from === someone(3)))
  expect(to.columns.count).toBeGreaterThan(0)
})

test('behavior: reads the new branch after a reorganisation of ten blocks', async () => {
  const rpc = await chain.quirky()
  const source = chain.sourceOf([rpc.url])
  await chain.expectRows(source)
  const before = await chain.oracle((await chain.headOf()) - 9, await chain.headOf())
  const transfer = { from: someone(1), to: someone(2), value: 777n }
  await chain.anvil.rpc('anvil_reorg', [10, []])
  await emit(chain.anvil, TOKEN, [transfer])
  expect(await chain.oracle((await chain.headOf()) - 9, await chain.headOf())).not.toEqual(before)
  await chain.expectRows(source)
  // Without a reorganisation only new blocks are requested, the newest by its hash too.
  rpc.calls.clear()
  await emit(chain.anvil, TOKEN, [transfer])
  await chain.expectRows(source)
  expect(rpc.calls.get('eth_getLogs')).toBe(2)
})

test('error: rejects a range above the head, an inverted range and an unreachable provider', async () => {
  const source = chain.sourceOf([chain.anvil.url])
  const toBlock = (await chain.headOf()) + 1
  await expect(source.transfers({ token: TOKEN, fromBlock: 1, toBlock })).rejects.toMatchObject({
    code: 'not_there_yet',
  })
  await expect(source.transfers({ token: TOKEN, fromBlock: 2, toBlock: 1 })).rejects.toThrow(RangeError)
  const down = chain.sourceOf([(await chain.quirky({ down: true })).url])
  await expect(down.heads()).rejects.toMatchObject({ code: 'unreachable' })
})

test('behavior: a partial answer at the deadline holds full ranges of the newest blocks', async () => {
  const refuse = BLOCK_REFUSALS['maximum block range: N']
  const rpc = await chain.quirky({ maxBlocks: 2, ...(refuse && { refuse }) })
  let clock = 1_000_000
  // Each clock reading advances it, so that the deadline falls within the read. Requests are given what is left in real
  // time, in which a busy machine must answer too.
  const source = chain.sourceOf([rpc.url], { now: () => (clock += 100) })
  const heads = await source.heads()
  const query = { token: TOKEN, fromBlock: 1, toBlock: heads.finalized.number, heads }
  await expect(source.transfers({ ...query, deadlineAt: clock + 3000 })).rejects.toMatchObject({
    code: 'deadline',
  })
  const { columns, coverage } = await chain
    .sourceOf([rpc.url], {
      now: () => (clock += 100),
    })
    .transfers({
      ...query,
      partial: true,
      deadlineAt: clock + 6000,
    })
  expect(coverage.complete).toBe(false)
  expect(coverage.ranges.at(-1)?.to).toBe(heads.finalized.number)
  const expected = await Promise.all(coverage.ranges.map(({ from, to }) => chain.oracle(from, to)))
  expect(rowsOf(columns)).toEqual(expected.flat())
  expect(columns.count).toBeGreaterThan(0)
})

test('behavior: a partial answer above the finalized head is returned but not cached', async () => {
  const refuse = BLOCK_REFUSALS['maximum block range: N']
  const rpc = await chain.quirky({ maxBlocks: 2, ...(refuse && { refuse }) })
  let clock = 1_000_000
  const source = chain.sourceOf([rpc.url], { now: () => (clock += 10) })
  const heads = await source.heads()
  const query = { token: TOKEN, fromBlock: heads.finalized.number - 5, toBlock: heads.latest.number, heads }
  const { columns, coverage } = await source.transfers({ ...query, partial: true, deadlineAt: clock + 500 })
  expect(coverage).toMatchObject({ complete: false, finality: 'latest' })
  expect(coverage.ranges[0]?.from).toBe(heads.finalized.number + 1)
  expect(coverage.ranges.at(-1)?.to).toBeLessThan(heads.latest.number)
  const expected = await Promise.all(coverage.ranges.map(({ from, to }) => chain.oracle(from, to)))
  expect(rowsOf(columns)).toEqual(expected.flat())
  expect(columns.count).toBeGreaterThan(0)
  // Without a deadline everything is read again, and a minute later for the second time.
  const whole = await source.transfers(query)
  expect(rowsOf(whole.columns)).toEqual(await chain.oracle(query.fromBlock, query.toBlock))
  expect(whole.coverage.complete).toBe(false)
  clock += 60_000
  expect((await source.transfers(query)).coverage.complete).toBe(true)
})

test('behavior: returns each transfer once after the blocks of a cached tail became final', async () => {
  const source = chain.sourceOf([chain.anvil.url])
  await chain.expectAll(source)
  const fromBlock = (await source.heads()).finalized.number + 1
  await chain.anvil.rpc('anvil_mine', ['0x60'])
  const { finalized } = await source.heads({ fresh: true })
  expect(finalized.number).toBeGreaterThan(fromBlock)
  const toBlock = Math.min(finalized.number, fromBlock + 20)
  const { columns } = await source.transfers({ token: TOKEN, fromBlock, toBlock })
  expect(rowsOf(columns)).toEqual(await chain.oracle(fromBlock, toBlock))
  expect(columns.count).toBeGreaterThan(0)
})
