import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTransferSource } from '@touchstone402/transfers'
import { blockOf, CHAIN_ID, TOKEN } from './fixture.ts'

type Limits = { readonly maxBlocks?: number; readonly maxResults?: number }
type Scenario = { readonly name: string; readonly perBlock: readonly number[] } & Limits

const FIRST = 1_000_000
const BLOCKS = 12_000

const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

/** Transfers per block, by shape: even, quiet with two bursts, and nearly none. */
const shapes: Record<string, () => number[]> = {
  dense: () => {
    const next = random(1)
    return Array.from({ length: BLOCKS }, () => Math.floor(6 + next() * 12))
  },
  bursty: () => {
    const next = random(2)
    const bursts = [
      [1800, 3000],
      [6800, 8600],
    ]
    return Array.from({ length: BLOCKS }, (_, i) =>
      bursts.some(([from = 0, to = 0]) => i >= from && i < to)
        ? Math.floor(25 + next() * 30)
        : next() < 0.3
          ? 1
          : 0,
    )
  },
  sparse: () => {
    const next = random(3)
    return Array.from({ length: BLOCKS }, () => (next() < 0.02 ? 1 : 0))
  },
}
const limits: Record<string, Limits> = {
  results: { maxResults: 1000 },
  blocks: { maxBlocks: 200 },
  both: { maxBlocks: 500, maxResults: 1000 },
}

/** Fewest requests possible if every block were known in advance. */
function lowerBound({ perBlock, maxBlocks = Infinity, maxResults = Infinity }: Scenario): number {
  let requests = 1
  let rows = 0
  let blocks = 0
  for (const more of perBlock) {
    if (rows + more > maxResults || blocks + 1 > maxBlocks) {
      requests++
      rows = 0
      blocks = 0
    }
    rows += more
    blocks++
  }
  return requests
}

function logOf(block: number, index: number) {
  const { number, hash } = blockOf(block)
  const topic = (n: number) => `0x${n.toString(16).padStart(64, '0')}`
  return {
    address: TOKEN,
    topics: [
      '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
      topic(index + 1),
      topic(index + 2),
    ],
    data: topic(1000 + index),
    blockHash: hash,
    blockNumber: number,
    transactionHash: `0x${block.toString(16).padStart(32, '0')}${index.toString(16).padStart(32, '0')}`,
    transactionIndex: '0x0',
    logIndex: `0x${index.toString(16)}`,
    removed: false,
  }
}

function answerLogs(
  { perBlock, maxBlocks = Infinity, maxResults = Infinity }: Scenario,
  from: number,
  to: number,
) {
  if (to - from + 1 > maxBlocks)
    return { error: { code: -32000, message: `please limit the query to at most ${maxBlocks} blocks` } }
  const logs: unknown[] = []
  let fits = from
  for (let block = from; block <= to; block++) {
    const count = perBlock[block - FIRST] ?? 0
    if (logs.length + count > maxResults) {
      const range = `[0x${from.toString(16)}, 0x${(fits - 1).toString(16)}]`
      return {
        error: {
          code: -32005,
          message: `query returned more than ${maxResults} results. Try with this block range ${range}.`,
        },
      }
    }
    for (let index = 0; index < count; index++) logs.push(logOf(block, index))
    fits = block + 1
  }
  return { result: logs }
}

async function countRequests(scenario: Scenario): Promise<number> {
  let requests = 0
  const head = blockOf(FIRST + BLOCKS)
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { id, method, params } = JSON.parse(Buffer.concat(parts).toString()) as {
        id: number
        method: string
        params: unknown[]
      }
      requests++
      const filter = params[0] as { fromBlock: string; toBlock: string }
      const body =
        method === 'eth_getLogs'
          ? answerLogs(scenario, Number(filter.fromBlock), Number(filter.toBlock))
          : { result: method === 'eth_chainId' ? `0x${CHAIN_ID.toString(16)}` : head }
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const source = createTransferSource({
    chainId: CHAIN_ID,
    urls: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`],
  })
  try {
    const { columns, coverage } = await source.transfers({
      token: TOKEN,
      fromBlock: FIRST,
      toBlock: FIRST + BLOCKS - 1,
    })
    const rows = scenario.perBlock.reduce((sum, count) => sum + count, 0)
    if (!coverage.complete || columns.count !== rows)
      throw new Error(`${scenario.name}: ${columns.count} of ${rows} rows`)
    return requests
  } finally {
    await source.close()
    server.close()
  }
}

/** Measures all shapes under all limits: requests beyond the first five, of any method, over the lower bound. */
export async function measureRequests() {
  const rows: { name: string; requests: number; bound: number; ratio: number }[] = []
  for (const [shape, make] of Object.entries(shapes))
    for (const [kind, limit] of Object.entries(limits)) {
      const scenario = { name: `${shape} under ${kind}`, perBlock: make(), ...limit }
      const requests = await countRequests(scenario)
      const bound = lowerBound(scenario)
      rows.push({ name: scenario.name, requests, bound, ratio: Math.max(0, requests - 5) / bound })
    }
  return rows
}
