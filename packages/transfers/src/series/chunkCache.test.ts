import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fillChain, rowsOf, TOKEN } from '../testing/fillChain.ts'

const chain = fillChain()

test('behavior: fetches finalized transfers once, even across restarts', async () => {
  const folder = await chain.tempFolder()
  const rpc = await chain.quirky()
  const first = chain.sourceOf([rpc.url], { cacheFolder: folder })
  await chain.expectAll(first)
  await first.close()
  rpc.calls.clear()
  const second = chain.sourceOf([rpc.url], { cacheFolder: folder })
  await chain.expectAll(second)
  expect(rpc.calls.get('eth_getLogs')).toBe(1)
  rpc.calls.clear()
  const { finalized } = await second.heads()
  await second.transfers({ token: TOKEN, fromBlock: 1, toBlock: finalized.number })
  expect(rpc.calls.get('eth_getLogs')).toBeUndefined()
  const held = await second.held({ token: TOKEN, fromBlock: 1, toBlock: finalized.number })
  expect(held && rowsOf(held)).toEqual(await chain.oracle(1, finalized.number))
})

test('behavior: reads a damaged chunk from the chain again', async () => {
  const folder = await chain.tempFolder()
  const first = chain.sourceOf([chain.anvil().url], { cacheFolder: folder })
  await chain.expectAll(first)
  await first.close()
  const series = join(folder, '31337', TOKEN)
  for (const name of await readdir(series)) {
    const bytes = await readFile(join(series, name))
    bytes[bytes.length - 9] = (bytes[bytes.length - 9] ?? 0) ^ 1
    await writeFile(join(series, name), bytes)
  }
  await chain.expectAll(chain.sourceOf([chain.anvil().url], { cacheFolder: folder }))
})

test('behavior: drops the chunks of a chain that was restarted', async () => {
  const folder = await chain.tempFolder()
  const forked = await chain.quirky({ forked: true })
  const first = chain.sourceOf([chain.anvil().url], { cacheFolder: folder })
  await chain.expectAll(first)
  await first.close()
  const source = chain.sourceOf([forked.url], { cacheFolder: folder })
  const { finalized } = await source.heads()
  await source.transfers({ token: TOKEN, fromBlock: 1, toBlock: finalized.number })
  expect(forked.calls.get('eth_getLogs')).toBe(1)
})
