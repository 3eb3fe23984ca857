import { expect, test } from 'vitest'
import { fillChain, rowsOf, TOKEN } from '../testing/fillChain.ts'
import { BLOCK_REFUSALS, RESULT_REFUSALS } from '../testing/refusals.ts'

const chain = await fillChain()

for (const [name, refuse] of Object.entries(BLOCK_REFUSALS))
  test(`behavior: learns a block cap from "${name}"`, async () => {
    const rpc = await chain.quirky({ maxBlocks: 10, refuse })
    await chain.expectAll(chain.sourceOf([rpc.url]))
    expect(rpc.calls.get('eth_getLogs')).toBeLessThan(40)
  })

for (const [name, refuse] of Object.entries(RESULT_REFUSALS))
  test(`behavior: learns a result cap from "${name}"`, async () => {
    const rpc = await chain.quirky({ maxResults: 70, refuse })
    await chain.expectAll(chain.sourceOf([rpc.url]))
    expect(rpc.calls.get('eth_getLogs')).toBeLessThan(90)
  })

test('behavior: reads all transfers under a block cap and a result cap', async () => {
  const refuse = RESULT_REFUSALS['more than N results, try']
  const rpc = await chain.quirky({ maxResults: 70, maxBlocks: 25, ...(refuse && { refuse }) })
  await chain.expectAll(chain.sourceOf([rpc.url]))
})

test('behavior: detects a provider that silently truncates its replies', async () => {
  await chain.expectAll(chain.sourceOf([(await chain.quirky({ cutAt: 100 })).url]))
})

test('behavior: falls back from a provider that lags behind the head', async () => {
  const behind = await chain.quirky({ lag: 20 })
  const well = await chain.quirky()
  const source = chain.sourceOf([behind.url, well.url])
  const toBlock = await chain.headOf()
  const heads = await chain.sourceOf([well.url]).heads()
  const { columns } = await source.transfers({ token: TOKEN, fromBlock: 1, toBlock, heads })
  expect(rowsOf(columns)).toEqual(await chain.oracle(1, toBlock))
})

for (const silentLag of [1, 20, 2_000])
  test(`behavior: falls back from a provider whose logs alone lag by ${silentLag} blocks`, async () => {
    const behind = await chain.quirky({ silentLag })
    const well = await chain.quirky()
    const source = chain.sourceOf([behind.url, well.url])
    await chain.expectAll(source)
    const toBlock = await chain.headOf()
    const { coverage } = await source.transfers({ token: TOKEN, fromBlock: 1, toBlock })
    expect(coverage.complete).toBe(true)
  })

test('error: a window whose newest blocks no provider knows the logs of is never complete', async () => {
  const source = chain.sourceOf([(await chain.quirky({ silentLag: 20 })).url])
  const query = { token: TOKEN, fromBlock: 1, toBlock: await chain.headOf() }
  await expect(source.transfers(query)).rejects.toMatchObject({ code: 'unreachable' })
})

test('behavior: asks a second provider before it accepts an empty reply', async () => {
  const empty = await chain.quirky({ empty: true })
  const well = await chain.quirky()
  await chain.expectAll(chain.sourceOf([empty.url, well.url]))
})

test('behavior: retries a busy provider and falls back from one that is down', async () => {
  await chain.expectAll(chain.sourceOf([(await chain.quirky({ busy: 2 })).url]))
  const down = await chain.quirky({ down: true })
  await chain.expectAll(chain.sourceOf([down.url, (await chain.quirky()).url]))
})

test('error: rejects providers that disagree on a finalized block', async () => {
  const forked = await chain.quirky({ forked: true })
  const source = chain.sourceOf([chain.anvil.url, forked.url])
  await expect(source.heads()).rejects.toMatchObject({ code: 'disagreement' })
})

test('error: rejects when even a single block is too large', async () => {
  const refuse = RESULT_REFUSALS['response too big']
  const rpc = await chain.quirky({ maxResults: 20, ...(refuse && { refuse }) })
  const toBlock = await chain.headOf()
  const asked = chain.sourceOf([rpc.url]).transfers({ token: TOKEN, fromBlock: 1, toBlock })
  await expect(asked).rejects.toMatchObject({ code: 'unreachable' })
})
