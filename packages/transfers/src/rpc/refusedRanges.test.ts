import { expect, test } from 'vitest'
import { fillChain, TOKEN } from '../testing/fillChain.ts'
import { OTHER_REFUSALS, RANGE_REFUSALS } from '../testing/refusals.ts'

const chain = await fillChain()

for (const [name, refuse] of Object.entries(RANGE_REFUSALS))
  test(`behavior: reads smaller ranges after the refusal of ${name}`, async () => {
    const rpc = await chain.quirky({ maxBlocks: 20, refuse })
    await chain.expectRows(chain.sourceOf([rpc.url], { rangeTimeoutMs: name === 'no answer' ? 500 : 20_000 }))
    if (name !== 'no answer') expect(rpc.calls.get('eth_getLogs')).toBeLessThan(60)
  })

for (const [name, refuse] of Object.entries(OTHER_REFUSALS))
  test(`behavior: asks the next provider, and no smaller range, after ${name}`, async () => {
    const refusing = await chain.quirky({ maxBlocks: 20, refuse })
    const well = await chain.quirky()
    const source = chain.sourceOf([refusing.url, well.url])
    const toBlock = (await source.heads()).finalized.number
    const { columns } = await source.transfers({ token: TOKEN, fromBlock: 1, toBlock })
    expect(columns.count).toBe((await chain.oracle(1, toBlock)).length)
    // The range, and that of the second reading.
    expect(refusing.calls.get('eth_getLogs')).toBeLessThan(4)
  })

test('behavior: grows back after timeouts that only bursts of logs cause', async () => {
  const refuse = RANGE_REFUSALS.geth
  const rpc = await chain.quirky({ maxResults: 70, ...(refuse && { refuse }) })
  await chain.expectRows(chain.sourceOf([rpc.url]))
  // One block at a time would be 160 requests.
  expect(rpc.calls.get('eth_getLogs')).toBeLessThan(80)
})

test('error: a provider that refuses every range is given up, down to a single block', async () => {
  const refuse = RANGE_REFUSALS['words that mean nothing']
  const rpc = await chain.quirky({ maxBlocks: 0, ...(refuse && { refuse }) })
  const source = chain.sourceOf([rpc.url])
  const { finalized } = await source.heads()
  const asked = source.transfers({ token: TOKEN, fromBlock: 1, toBlock: finalized.number })
  await expect(asked).rejects.toMatchObject({ code: 'unreachable' })
  expect(rpc.calls.get('eth_getLogs')).toBeLessThan(15)
})
