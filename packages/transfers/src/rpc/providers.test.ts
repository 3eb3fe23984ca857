import { expect, test } from 'vitest'
import { fillChain, rowsOf, TOKEN } from '../testing/fillChain.ts'
import { BLOCK_REFUSALS, RESULT_REFUSALS } from '../testing/refusals.ts'

const chain = fillChain()

for (const [name, refuse] of Object.entries(BLOCK_REFUSALS))
  test(`behavior: block caps, "${name}"`, async () => {
    const rpc = await chain.quirky({ maxBlocks: 10, refuse })
    await chain.expectAll(chain.sourceOf([rpc.url]))
    expect(rpc.calls.get('eth_getLogs')).toBeLessThan(40)
  })

for (const [name, refuse] of Object.entries(RESULT_REFUSALS))
  test(`behavior: result caps, "${name}"`, async () => {
    const rpc = await chain.quirky({ maxResults: 70, refuse })
    await chain.expectAll(chain.sourceOf([rpc.url]))
    expect(rpc.calls.get('eth_getLogs')).toBeLessThan(90)
  })

test('behavior: both caps at once', async () => {
  const refuse = RESULT_REFUSALS['more than N results, try']
  const rpc = await chain.quirky({ maxResults: 70, maxBlocks: 25, ...(refuse && { refuse }) })
  await chain.expectAll(chain.sourceOf([rpc.url]))
})

test('behavior: a provider that cuts its answers without a word', async () => {
  await chain.expectAll(chain.sourceOf([(await chain.quirky({ cutAt: 100 })).url]))
})

test('behavior: a provider that is behind is left for one that is not', async () => {
  const behind = await chain.quirky({ lag: 20 })
  const well = await chain.quirky()
  const source = chain.sourceOf([behind.url, well.url])
  const toBlock = await chain.headOf()
  const heads = await chain.sourceOf([well.url]).heads()
  const { columns } = await source.transfers({ token: TOKEN, fromBlock: 1, toBlock, heads })
  expect(rowsOf(columns)).toEqual(await chain.oracle(1, toBlock))
})

test('behavior: a provider that answers nothing is not believed where there is a second', async () => {
  const empty = await chain.quirky({ empty: true })
  const well = await chain.quirky()
  await chain.expectAll(chain.sourceOf([empty.url, well.url]))
})

test('behavior: busy and broken providers', async () => {
  await chain.expectAll(chain.sourceOf([(await chain.quirky({ busy: 2 })).url]))
  const down = await chain.quirky({ down: true })
  await chain.expectAll(chain.sourceOf([down.url, (await chain.quirky()).url]))
})

test('error: providers that disagree', async () => {
  const forked = await chain.quirky({ forked: true })
  const source = chain.sourceOf([chain.anvil().url, forked.url])
  await expect(source.heads()).rejects.toMatchObject({ code: 'disagreement' })
})

test('error: a block that is refused on its own', async () => {
  const refuse = RESULT_REFUSALS['response too big']
  const rpc = await chain.quirky({ maxResults: 20, ...(refuse && { refuse }) })
  const toBlock = await chain.headOf()
  const asked = chain.sourceOf([rpc.url]).transfers({ token: TOKEN, fromBlock: 1, toBlock })
  await expect(asked).rejects.toMatchObject({ code: 'unreachable' })
})
