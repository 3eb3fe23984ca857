import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createAddressTable } from '../columns/addressTable.ts'
import { columnsOf } from '../testing/columnsOf.ts'
import { fillChain, rowsOf, TOKEN } from '../testing/fillChain.ts'
import { createChunkCache } from './chunkCache.ts'

const chain = await fillChain()

test('behavior: fetches finalized transfers once, even across restarts', async () => {
  const folder = await chain.tempFolder()
  const rpc = await chain.quirky()
  const first = chain.sourceOf([rpc.url], { cacheFolder: folder })
  await chain.expectAll(first)
  await first.close()
  rpc.calls.clear()
  const second = chain.sourceOf([rpc.url], { cacheFolder: folder })
  await chain.expectRows(second)
  // The tail, and its newest block by its hash.
  expect(rpc.calls.get('eth_getLogs')).toBe(2)
  rpc.calls.clear()
  const { finalized } = await second.heads()
  await second.transfers({ token: TOKEN, fromBlock: 1, toBlock: finalized.number })
  expect(rpc.calls.get('eth_getLogs')).toBeUndefined()
  const held = await second.held({ token: TOKEN, fromBlock: 1, toBlock: finalized.number })
  expect(held && rowsOf(held)).toEqual(await chain.oracle(1, finalized.number))
})

test('behavior: reads a damaged chunk from the chain again', async () => {
  const folder = await chain.tempFolder()
  const first = chain.sourceOf([chain.anvil.url], { cacheFolder: folder })
  await chain.expectAll(first)
  await first.close()
  const series = join(folder, '31337', `${TOKEN}-supply`)
  for (const name of await readdir(series)) {
    const bytes = await readFile(join(series, name))
    bytes[bytes.length - 9] = (bytes[bytes.length - 9] ?? 0) ^ 1
    await writeFile(join(series, name), bytes)
  }
  await chain.expectRows(chain.sourceOf([chain.anvil.url], { cacheFolder: folder }))
})

test('behavior: drops the chunks of a chain that was restarted', async () => {
  const folder = await chain.tempFolder()
  const forked = await chain.quirky({ forked: true })
  const first = chain.sourceOf([chain.anvil.url], { cacheFolder: folder })
  await chain.expectAll(first)
  await first.close()
  const source = chain.sourceOf([forked.url], { cacheFolder: folder })
  const { finalized } = await source.heads()
  await source.transfers({ token: TOKEN, fromBlock: 1, toBlock: finalized.number })
  // A finalized block by its hash, and the range.
  expect(forked.calls.get('eth_getLogs')).toBe(2)
})

test('behavior: evicts the least recently used chunks, also those of an earlier process', async () => {
  const folder = await chain.tempFolder()
  const open = (maxBytes: number) => createChunkCache({ folder, chainId: 1, maxBytes })
  const row = { block: 5, from: `0x${'1'.repeat(40)}`, to: `0x${'2'.repeat(40)}`, value: 7n }
  const hash = `0x${'ab'.repeat(32)}` as const
  const save = (cache: ReturnType<typeof open>, name: string) =>
    cache.save(name, { range: { from: 0, to: 9 }, endHash: hash, first: null }, columnsOf([row]))
  const namesIn = async (cache: ReturnType<typeof open>) => {
    const lists = await Promise.all(['a', 'b', 'c', 'd'].map((name) => cache.list(name)))
    return lists.flat().map(({ path }) => path.split('/').at(-2))
  }
  const roomy = open(1_000_000)
  const kept = await save(roomy, 'a')
  const other = await save(roomy, 'b')
  const size = (await readFile(kept?.path ?? '')).byteLength
  // Loading is use. Explicit times: both could be of the same millisecond.
  await utimes(kept?.path ?? '', 1, 1)
  await utimes(other?.path ?? '', 2, 2)
  if (kept !== null) await roomy.load(kept, createAddressTable(1))
  const tight = open(size * 3.5)
  await save(tight, 'c')
  expect(await namesIn(tight)).toEqual(['a', 'b', 'c'])
  await save(tight, 'd')
  expect(await namesIn(tight)).toEqual(['a', 'c', 'd'])
})

test('behavior: saves after a restart share one scan of 10,000 chunks', async () => {
  const folder = await chain.tempFolder()
  const place = join(folder, '1', 'old')
  await mkdir(place, { recursive: true })
  await Promise.all(
    Array.from({ length: 10_000 }, (_, index) => writeFile(join(place, `${index}-${index}.chunk`), 'old')),
  )
  const row = { block: 5, from: `0x${'1'.repeat(40)}`, to: `0x${'2'.repeat(40)}`, value: 7n }
  const hash = `0x${'ab'.repeat(32)}` as const
  /** Saves chunks as a process that has just started, and returns how long that took in ms. */
  const saveAfterStart = async (count: number) => {
    const cache = createChunkCache({ folder, chainId: 1, maxBytes: 2 ** 31 })
    const startedAt = performance.now()
    const saved = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        cache.save(
          `new-${count}`,
          {
            range: { from: index, to: index },
            endHash: hash,
            first: null,
          },
          columnsOf([row]),
        ),
      ),
    )
    expect(saved).not.toContain(null)
    return performance.now() - startedAt
  }
  const oneMs = await saveAfterStart(1)
  expect(await saveAfterStart(100)).toBeLessThan(10 * oneMs)
})

test('behavior: keeps a chunk without rows', async () => {
  const cache = createChunkCache({ folder: await chain.tempFolder(), chainId: 1, maxBytes: 1_000_000 })
  const about = { range: { from: 0, to: 9 }, endHash: `0x${'ab'.repeat(32)}`, first: null } as const
  const entry = await cache.save('empty', about, columnsOf([]))
  const columns = entry && (await cache.load(entry, createAddressTable(1)))
  expect(columns?.count).toBe(0)
})
