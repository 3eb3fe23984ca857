import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, http, parseAbiItem } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { addressAt, txHashAt, valueAt } from '../../domain/token/columns.ts'
import type { Address, TransferColumns, TransferSource } from '../../ports/chain.ts'
import { createTransferSource, type TransferSourceOptions } from './createTransferSource.ts'
import { type Anvil, startAnvil } from './testing/anvil.ts'
import { type Emission, emit, placeEventToken } from './testing/eventToken.ts'
import { type Quirks, type QuirkyRpc, startQuirkyRpc } from './testing/quirkyRpc.ts'
import { BLOCK_REFUSALS, RESULT_REFUSALS } from './testing/refusals.ts'

const TOKEN: Address = '0x00000000000000000000000000000000000700c5'
const BLOCKS = 160
const ZERO: Address = `0x${'0'.repeat(40)}`
const someone = (n: number): Address => `0x${(n + 16).toString(16).padStart(40, '2')}`

let anvil: Anvil
let closing: (() => Promise<unknown>)[] = []

const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

/** A few blocks are bursts, some are empty, some values need more than 96 bits. */
const fill = async () => {
  const next = random(7)
  const pick = () => someone(Math.floor(next() ** 2 * 40))
  for (let block = 0; block < BLOCKS; block++) {
    const rows = block % 11 === 0 ? 0 : block > 40 && block < 50 ? 60 : 1 + Math.floor(next() * 6)
    const emissions = Array.from({ length: rows }, (): Emission => {
      const wide = next() < 0.02
      return {
        from: next() < 0.05 ? ZERO : pick(),
        to: next() < 0.05 ? ZERO : pick(),
        value: wide ? 2n ** 200n + BigInt(Math.floor(next() * 1e9)) : BigInt(Math.floor(next() * 1e12)),
      }
    })
    if (rows === 0) await anvil.rpc('evm_mine')
    else await emit(anvil, TOKEN, emissions)
  }
}

beforeAll(async () => {
  anvil = await startAnvil()
  await placeEventToken(anvil, TOKEN)
  await fill()
})
afterEach(async () => {
  const all = closing.reverse()
  closing = []
  for (const close of all) await close()
})
afterAll(() => anvil.stop())

const quirky = async (quirks: Quirks = {}): Promise<QuirkyRpc> => {
  const rpc = await startQuirkyRpc((method, params) => anvil.rpc(method, params), quirks)
  closing.push(rpc.stop)
  return rpc
}
const sourceOf = (urls: readonly string[], options: Partial<TransferSourceOptions> = {}): TransferSource => {
  const source = createTransferSource({ chainId: 31337, urls, ...options })
  closing.push(source.close)
  return source
}
const tempFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chunks-'))
  closing.push(() => rm(folder, { recursive: true }))
  return folder
}

const rowsOf = (columns: TransferColumns) =>
  Array.from({ length: columns.count }, (_, i) => ({
    block: columns.block[i],
    logIndex: columns.logIndex[i],
    tx: txHashAt(columns, columns.tx[i] ?? -1),
    from: addressAt(columns, columns.from[i] ?? -1),
    to: addressAt(columns, columns.to[i] ?? -1),
    value: valueAt(columns, i),
  }))

/** The same rows by another library, from the node itself. */
const oracle = async (fromBlock: number, toBlock: number) => {
  const client = createPublicClient({ transport: http(anvil.url) })
  const event = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')
  const logs = await client.getLogs({
    address: TOKEN,
    event,
    fromBlock: BigInt(fromBlock),
    toBlock: BigInt(toBlock),
  })
  return logs.map(({ blockNumber, logIndex, transactionHash, args }) => ({
    block: Number(blockNumber),
    logIndex,
    tx: transactionHash,
    from: args.from?.toLowerCase(),
    to: args.to?.toLowerCase(),
    value: args.value,
  }))
}
const headOf = async () => Number(await anvil.rpc('eth_blockNumber'))
const expectAll = async (source: TransferSource, fromBlock = 1) => {
  const toBlock = await headOf()
  const { columns, coverage } = await source.transfers({ token: TOKEN, fromBlock, toBlock })
  expect(coverage).toMatchObject({
    complete: true,
    truncated: false,
    ranges: [{ from: fromBlock, to: toBlock }],
  })
  expect(rowsOf(columns)).toEqual(await oracle(fromBlock, toBlock))
  return coverage
}

describe('transfers against an oracle', () => {
  test('default', async () => {
    const rpc = await quirky()
    await expectAll(sourceOf([rpc.url]))
    expect(rpc.calls.get('eth_getLogs')).toBe(2)
  })

  for (const [name, refuse] of Object.entries(BLOCK_REFUSALS))
    test(`behavior: block caps, "${name}"`, async () => {
      const rpc = await quirky({ maxBlocks: 10, refuse })
      await expectAll(sourceOf([rpc.url]))
      expect(rpc.calls.get('eth_getLogs')).toBeLessThan(40)
    })

  for (const [name, refuse] of Object.entries(RESULT_REFUSALS))
    test(`behavior: result caps, "${name}"`, async () => {
      const rpc = await quirky({ maxResults: 70, refuse })
      await expectAll(sourceOf([rpc.url]))
      expect(rpc.calls.get('eth_getLogs')).toBeLessThan(90)
    })

  test('behavior: both caps at once', async () => {
    const refuse = RESULT_REFUSALS['more than N results, try']
    const rpc = await quirky({ maxResults: 70, maxBlocks: 25, ...(refuse && { refuse }) })
    await expectAll(sourceOf([rpc.url]))
  })

  test('behavior: a provider that cuts its answers without a word', async () => {
    await expectAll(sourceOf([(await quirky({ cutAt: 100 })).url]))
  })

  test('behavior: filters by recipient and by sender', async () => {
    const source = sourceOf([anvil.url])
    const toBlock = await headOf()
    const all = await oracle(1, toBlock)
    const to = await source.transfers({ token: TOKEN, fromBlock: 1, toBlock, to: someone(3) })
    const from = await source.transfers({ token: TOKEN, fromBlock: 1, toBlock, from: someone(3) })
    expect(rowsOf(to.columns)).toEqual(all.filter((row) => row.to === someone(3)))
    expect(rowsOf(from.columns)).toEqual(all.filter((row) => row.from === someone(3)))
    expect(to.columns.count).toBeGreaterThan(0)
  })

  test('behavior: a provider that is behind is left for one that is not', async () => {
    const behind = await quirky({ lag: 20 })
    const well = await quirky()
    const source = sourceOf([behind.url, well.url])
    const toBlock = await headOf()
    const heads = await sourceOf([well.url]).heads()
    const { columns } = await source.transfers({ token: TOKEN, fromBlock: 1, toBlock, heads })
    expect(rowsOf(columns)).toEqual(await oracle(1, toBlock))
  })

  test('behavior: a provider that answers nothing is not believed where there is a second', async () => {
    const empty = await quirky({ empty: true })
    const well = await quirky()
    await expectAll(sourceOf([empty.url, well.url]))
  })

  test('behavior: busy and broken providers', async () => {
    await expectAll(sourceOf([(await quirky({ busy: 2 })).url]))
    const down = await quirky({ down: true })
    await expectAll(sourceOf([down.url, (await quirky()).url]))
  })

  test('behavior: ten blocks are reorganised', async () => {
    const rpc = await quirky()
    const source = sourceOf([rpc.url])
    await expectAll(source)
    const before = await oracle((await headOf()) - 9, await headOf())
    const transfer = { from: someone(1), to: someone(2), value: 777n }
    await anvil.rpc('anvil_reorg', [10, []])
    await emit(anvil, TOKEN, [transfer])
    expect(await oracle((await headOf()) - 9, await headOf())).not.toEqual(before)
    await expectAll(source)
    // Again with nothing replaced: only what is new is asked for.
    rpc.calls.clear()
    await emit(anvil, TOKEN, [transfer])
    await expectAll(source)
    expect(rpc.calls.get('eth_getLogs')).toBe(1)
  })

  test('behavior: what is final is asked for once, across restarts too', async () => {
    const folder = await tempFolder()
    const rpc = await quirky()
    const first = sourceOf([rpc.url], { cacheFolder: folder })
    await expectAll(first)
    await first.close()
    rpc.calls.clear()
    const second = sourceOf([rpc.url], { cacheFolder: folder })
    await expectAll(second)
    expect(rpc.calls.get('eth_getLogs')).toBe(1)
    rpc.calls.clear()
    const { finalized } = await second.heads()
    await second.transfers({ token: TOKEN, fromBlock: 1, toBlock: finalized.number })
    expect(rpc.calls.get('eth_getLogs')).toBeUndefined()
    const held = await second.held({ token: TOKEN, fromBlock: 1, toBlock: finalized.number })
    expect(held && rowsOf(held)).toEqual(await oracle(1, finalized.number))
  })

  test('behavior: a damaged chunk is read again', async () => {
    const folder = await tempFolder()
    const first = sourceOf([anvil.url], { cacheFolder: folder })
    await expectAll(first)
    await first.close()
    const series = join(folder, '31337', TOKEN)
    for (const name of await readdir(series)) {
      const bytes = await readFile(join(series, name))
      bytes[bytes.length - 9] = (bytes[bytes.length - 9] ?? 0) ^ 1
      await writeFile(join(series, name), bytes)
    }
    await expectAll(sourceOf([anvil.url], { cacheFolder: folder }))
  })

  test('behavior: chunks of a chain that began anew are dropped', async () => {
    const folder = await tempFolder()
    const forked = await quirky({ forked: true })
    const first = sourceOf([anvil.url], { cacheFolder: folder })
    await expectAll(first)
    await first.close()
    const source = sourceOf([forked.url], { cacheFolder: folder })
    const { finalized } = await source.heads()
    await source.transfers({ token: TOKEN, fromBlock: 1, toBlock: finalized.number })
    expect(forked.calls.get('eth_getLogs')).toBe(1)
  })

  test('error: providers that disagree', async () => {
    const forked = await quirky({ forked: true })
    const source = sourceOf([anvil.url, forked.url])
    await expect(source.heads()).rejects.toMatchObject({ code: 'disagreement' })
  })

  test('error: above the head, no block range, no provider', async () => {
    const source = sourceOf([anvil.url])
    const toBlock = (await headOf()) + 1
    await expect(source.transfers({ token: TOKEN, fromBlock: 1, toBlock })).rejects.toMatchObject({
      code: 'not_there_yet',
    })
    await expect(source.transfers({ token: TOKEN, fromBlock: 2, toBlock: 1 })).rejects.toThrow(RangeError)
    const down = sourceOf([(await quirky({ down: true })).url])
    await expect(down.heads()).rejects.toMatchObject({ code: 'unreachable' })
  })

  test('error: a block that is refused on its own', async () => {
    const refuse = RESULT_REFUSALS['response too big']
    const rpc = await quirky({ maxResults: 20, ...(refuse && { refuse }) })
    const toBlock = await headOf()
    const asked = sourceOf([rpc.url]).transfers({ token: TOKEN, fromBlock: 1, toBlock })
    await expect(asked).rejects.toMatchObject({ code: 'unreachable' })
  })

  test('behavior: out of time, a partial answer holds whole ranges of the newest blocks', async () => {
    const refuse = BLOCK_REFUSALS['maximum block range: N']
    const rpc = await quirky({ maxBlocks: 2, ...(refuse && { refuse }) })
    let clock = 1_000_000
    // Every look at the clock costs 10 ms, so that the deadline falls into the middle of the read.
    const source = sourceOf([rpc.url], { now: () => (clock += 10), concurrency: 1 })
    const heads = await source.heads()
    const query = { token: TOKEN, fromBlock: 1, toBlock: heads.finalized.number, heads }
    await expect(source.transfers({ ...query, deadlineAt: clock + 300 })).rejects.toMatchObject({
      code: 'deadline',
    })
    const { columns, coverage } = await sourceOf([rpc.url], {
      now: () => (clock += 10),
      concurrency: 1,
    }).transfers({
      ...query,
      partial: true,
      deadlineAt: clock + 600,
    })
    expect(coverage.complete).toBe(false)
    expect(coverage.ranges.at(-1)?.to).toBe(heads.finalized.number)
    const expected = await Promise.all(coverage.ranges.map(({ from, to }) => oracle(from, to)))
    expect(rowsOf(columns)).toEqual(expected.flat())
    expect(columns.count).toBeGreaterThan(0)
  })

  test('behavior: out of time above the finalized head, what was read there is answered and not remembered', async () => {
    const refuse = BLOCK_REFUSALS['maximum block range: N']
    const rpc = await quirky({ maxBlocks: 2, ...(refuse && { refuse }) })
    let clock = 1_000_000
    const source = sourceOf([rpc.url], { now: () => (clock += 10), concurrency: 1 })
    const heads = await source.heads()
    const query = { token: TOKEN, fromBlock: heads.finalized.number - 5, toBlock: heads.latest.number, heads }
    const { columns, coverage } = await source.transfers({ ...query, partial: true, deadlineAt: clock + 500 })
    expect(coverage).toMatchObject({ complete: false, finality: 'latest' })
    expect(coverage.ranges[0]?.from).toBe(heads.finalized.number + 1)
    expect(coverage.ranges.at(-1)?.to).toBeLessThan(heads.latest.number)
    const expected = await Promise.all(coverage.ranges.map(({ from, to }) => oracle(from, to)))
    expect(rowsOf(columns)).toEqual(expected.flat())
    expect(columns.count).toBeGreaterThan(0)
    // With time enough, all of it is read anew.
    const whole = await source.transfers(query)
    expect(whole.coverage.complete).toBe(true)
    expect(rowsOf(whole.columns)).toEqual(await oracle(query.fromBlock, query.toBlock))
  })
})
