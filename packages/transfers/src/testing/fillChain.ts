import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, http, parseAbiItem } from 'viem'
import { afterEach, beforeAll, expect } from 'vitest'
import { addressAt, txHashAt, valueAt } from '../columns/columns.ts'
import { createTransferSource, type TransferSourceOptions } from '../createTransferSource.ts'
import type { Address, TransferColumns, TransferSource } from '../types.ts'
import type { LocalChain } from './anvil.ts'
import { type Emission, emit, placeEventToken } from './eventToken.ts'
import { type Quirks, type QuirkyRpc, startQuirkyRpc } from './quirkyRpc.ts'
import { useChain } from './useChain.ts'

export const TOKEN: Address = '0x00000000000000000000000000000000000700c5'
const BLOCKS = 160
const ZERO: Address = `0x${'0'.repeat(40)}`
export function someone(n: number): Address {
  return `0x${(n + 16).toString(16).padStart(40, '2')}`
}

const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

/** Some blocks are bursts, some are empty, and some values exceed 96 bits. */
async function fill(anvil: LocalChain) {
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

/** Converts columns to rows. */
export function rowsOf(columns: TransferColumns) {
  return Array.from({ length: columns.count }, (_, i) => ({
    block: columns.block[i],
    logIndex: columns.logIndex[i],
    tx: txHashAt(columns, columns.tx[i] ?? -1),
    from: addressAt(columns, columns.from[i] ?? -1),
    to: addressAt(columns, columns.to[i] ?? -1),
    value: valueAt(columns, i),
  }))
}

/** Fills the local chain with transfers for the tests of a file, and creates sources that close after each test. */
export async function fillChain() {
  const anvil = await useChain()
  let closing: (() => Promise<unknown>)[] = []
  /** Time that was waited in tests, in ms. */
  let waited = 0
  const now = () => Date.now() + waited
  const waitAMinute = () => {
    waited += 60_000
  }
  beforeAll(async () => {
    await placeEventToken(anvil, TOKEN)
    await fill(anvil)
  })
  afterEach(async () => {
    const all = closing.reverse()
    closing = []
    for (const close of all) await close()
  })

  const quirky = async (quirks: Quirks = {}): Promise<QuirkyRpc> => {
    const rpc = await startQuirkyRpc((method, params) => anvil.rpc(method, params), quirks)
    closing.push(rpc.stop)
    return rpc
  }
  const sourceOf = (
    urls: readonly string[],
    options: Partial<TransferSourceOptions> = {},
  ): TransferSource => {
    const source = createTransferSource({ chainId: 31337, urls, now, ...options })
    closing.push(source.close)
    return source
  }
  const tempFolder = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chunks-'))
    closing.push(() => rm(folder, { recursive: true }))
    return folder
  }

  /** The same rows, read by viem directly from the node. */
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
  /** Expects every transfer at once. Whether the answer is complete is not looked at. */
  const expectRows = async (source: TransferSource, fromBlock = 1) => {
    const toBlock = await headOf()
    const { columns, coverage } = await source.transfers({ token: TOKEN, fromBlock, toBlock })
    expect(coverage).toMatchObject({ truncated: false, ranges: [{ from: fromBlock, to: toBlock }] })
    expect(rowsOf(columns)).toEqual(await oracle(fromBlock, toBlock))
    return coverage
  }
  /** Expects every transfer at once, and a complete answer a minute later. */
  const expectAll = async (source: TransferSource, fromBlock = 1) => {
    await expectRows(source, fromBlock)
    waitAMinute()
    const coverage = await expectRows(source, fromBlock)
    expect(coverage.complete).toBe(true)
    return coverage
  }

  return {
    anvil,
    quirky,
    sourceOf,
    tempFolder,
    oracle,
    headOf,
    expectRows,
    expectAll,
    waitAMinute,
  }
}
