import { expect, test } from 'vitest'
import { fillChain, rowsOf, TOKEN } from '../testing/fillChain.ts'
import type { TransferSource } from '../types.ts'

const chain = await fillChain()

/** Reads every block, and returns whether the answer says so and whether it is so. */
async function readAll(source: TransferSource) {
  const toBlock = await chain.headOf()
  const { columns, coverage } = await source.transfers({ token: TOKEN, fromBlock: 1, toBlock })
  const expected = await chain.oracle(1, toBlock)
  return { complete: coverage.complete, rows: columns.count, expected: expected.length, columns }
}

const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

test('default: with one provider an answer is whole at once, and complete a minute later', async () => {
  const rpc = await chain.quirky()
  const source = chain.sourceOf([rpc.url])
  const first = await readAll(source)
  expect(first).toMatchObject({ complete: false, rows: first.expected })
  expect((await readAll(source)).complete).toBe(false)
  chain.waitAMinute()
  expect(await readAll(source)).toMatchObject({ complete: true, rows: first.expected })
})

test('behavior: with two providers an answer is complete at once', async () => {
  const [one, two] = [await chain.quirky(), await chain.quirky()]
  const read = await readAll(chain.sourceOf([one.url, two.url]))
  expect(read).toMatchObject({ complete: true, rows: read.expected })
  expect(two.calls.get('eth_getLogs')).toBeGreaterThan(0)
})

test('behavior: finalized blocks are read twice and never again, even across restarts', async () => {
  const cacheFolder = await chain.tempFolder()
  const rpc = await chain.quirky()
  const first = chain.sourceOf([rpc.url], { cacheFolder })
  await readAll(first)
  await first.close()
  // The other process has read them once: a second reading within the minute would be no other.
  const second = chain.sourceOf([rpc.url], { cacheFolder })
  expect((await readAll(second)).complete).toBe(false)
  chain.waitAMinute()
  expect((await readAll(second)).complete).toBe(true)
  await second.close()
  const third = chain.sourceOf([rpc.url], { cacheFolder })
  expect((await readAll(third)).complete).toBe(true)
  const { finalized } = await third.heads()
  rpc.calls.clear()
  chain.waitAMinute()
  await third.transfers({ token: TOKEN, fromBlock: 1, toBlock: finalized.number })
  expect(rpc.calls.get('eth_getLogs')).toBeUndefined()
})

test('behavior: a second provider that is down delays the complete answer by a minute alone', async () => {
  const [one, two] = [await chain.quirky(), await chain.quirky({ down: true })]
  const source = chain.sourceOf([one.url, two.url])
  const first = await readAll(source)
  expect(first).toMatchObject({ complete: false, rows: first.expected })
  chain.waitAMinute()
  expect((await readAll(source)).complete).toBe(true)
})

test('behavior: a second provider without old logs makes no answer complete, and no hole', async () => {
  const [one, two] = [await chain.quirky(), await chain.quirky({ empty: true })]
  const source = chain.sourceOf([one.url, two.url])
  const first = await readAll(source)
  expect(first).toMatchObject({ complete: false, rows: first.expected })
  chain.waitAMinute()
  expect(await readAll(source)).toMatchObject({ complete: true, rows: first.expected })
})

test('error: a chunk with a hole is dropped by the second reading and read again', async () => {
  const cacheFolder = await chain.tempFolder()
  const rpc = await chain.quirky()
  const source = chain.sourceOf([rpc.url], { cacheFolder })
  const { finalized } = await source.heads()
  const query = { token: TOKEN, fromBlock: 1, toBlock: finalized.number }
  const whole = await chain.oracle(1, finalized.number)
  // The check of the newest finalized block is answered by a node that has it, the range by one that has not.
  let asked = 0
  rpc.quirks.silentLag = 100
  rpc.quirks.isBehind = () => ++asked > 1
  const holed = await source.transfers(query)
  expect(holed.columns.count).toBeLessThan(whole.length)
  expect(holed.coverage.complete).toBe(false)
  delete rpc.quirks.silentLag
  chain.waitAMinute()
  const healed = await source.transfers(query)
  expect(rowsOf(healed.columns)).toEqual(whole)
  expect(healed.coverage.complete).toBe(false)
  chain.waitAMinute()
  expect((await source.transfers(query)).coverage.complete).toBe(true)
  await source.close()
  const restarted = await chain.sourceOf([rpc.url], { cacheFolder }).transfers(query)
  expect(rowsOf(restarted.columns)).toEqual(whole)
})

test('error: two readings that were behind alike confirm nothing while a later row is known', async () => {
  const isBehind = ({ fromBlock }: { fromBlock?: string }) => fromBlock === '0x1'
  const rpc = await chain.quirky({ silentLag: 100, isBehind })
  const source = chain.sourceOf([rpc.url])
  for (let minute = 0; minute < 2; minute++) {
    const read = await readAll(source)
    expect(read.complete).toBe(false)
    expect(read.rows).toBeLessThan(read.expected)
    chain.waitAMinute()
  }
  rpc.quirks.isBehind = () => false
  for (let minute = 0; minute < 2; minute++) {
    await readAll(source)
    chain.waitAMinute()
  }
  const healed = await readAll(source)
  expect(healed).toMatchObject({ complete: true, rows: healed.expected })
})

for (const silentLag of [20, 2_000])
  test(`behavior: behind a URL that balances to a node ${silentLag} blocks behind, no complete answer lacks a row`, async () => {
    let completeAnswers = 0
    for (let seed = 1; seed <= 2; seed++) {
      const next = random(seed * 7919)
      const rpc = await chain.quirky({ silentLag, isBehind: () => next() < 0.5 })
      const cacheFolder = await chain.tempFolder()
      let source = chain.sourceOf([rpc.url], { cacheFolder })
      for (let minute = 0; minute < 4; minute++) {
        const read = await readAll(source).catch(() => null)
        if (read?.complete) {
          completeAnswers++
          expect(read.rows).toBe(read.expected)
        }
        chain.waitAMinute()
        if (minute !== 1) continue
        await source.close()
        source = chain.sourceOf([rpc.url], { cacheFolder })
      }
      // Once the balancer sends all to the sound node, nothing stays missing.
      rpc.quirks.isBehind = () => false
      for (let minute = 0; minute < 3; minute++) {
        await readAll(source)
        chain.waitAMinute()
      }
      const last = await readAll(source)
      expect(last).toMatchObject({ complete: true, rows: last.expected })
    }
    expect(completeAnswers).toBeGreaterThan(0)
  })
