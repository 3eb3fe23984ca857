import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { blockOf, CHAIN_ID, numberOf, openFixture, TOKEN } from './fixture.ts'

/**
 * A provider over the fixture, as a separate process. It supports only the methods that token queries use.
 * Prints its port. `GET /counts` returns and resets the calls by method and the log ranges.
 */
const [text, text2] = process.argv.slice(2)
const rows = Number(text)
const fixture = openFixture(rows, Number(text2))
const FINALITY_LAG = 600
const MAX_BLOCKS = 2000
let latest = fixture.firstBlock + fixture.blocks - 1 - FINALITY_LAG
const counts: Record<string, number> = {}
let ranges: { from: number; to: number }[] = []

const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
const textOf = (value: string) =>
  `0x${(32).toString(16).padStart(64, '0')}${value.length.toString(16).padStart(64, '0')}${Buffer.from(value).toString('hex').padEnd(64, '0')}`
const ANSWERS: Record<string, string> = {
  '0x06fdde03': textOf('USD Coin'),
  '0x95d89b41': textOf('USDC'),
  '0x313ce567': word(6),
  '0x18160ddd': word(1),
}

const headOf = (tag: string) => (tag === 'latest' ? latest : latest - FINALITY_LAG)

function answer(method: string, params: readonly unknown[]): unknown {
  if (method === 'eth_chainId') return `0x${CHAIN_ID.toString(16)}`
  if (method === 'eth_blockNumber') return blockOf(latest).number
  if (method === 'eth_getBlockByNumber') {
    const at = String(params[0])
    return blockOf(at.startsWith('0x') ? Number(at) : headOf(at))
  }
  if (method === 'eth_getCode') return params[0] === TOKEN ? '0x6000' : '0x'
  const { data } = params[0] as { data: string }
  return ANSWERS[data.slice(0, 10)] ?? word(0)
}

type Call = { id: number; method: string; params: readonly unknown[] }

function respond(call: Call): Buffer {
  counts[call.method] = (counts[call.method] ?? 0) + 1
  const base = { jsonrpc: '2.0', id: call.id }
  if (call.method !== 'eth_getLogs')
    return Buffer.from(JSON.stringify({ ...base, result: answer(call.method, call.params) }))
  const filter = call.params[0] as { fromBlock: string; toBlock: string; blockHash?: string }
  if (filter.blockHash !== undefined) {
    const block = numberOf(filter.blockHash)
    return Buffer.from(fixture.reply(block, block))
  }
  const from = Number(filter.fromBlock)
  const to = Number(filter.toBlock)
  ranges.push({ from, to })
  if (to - from + 1 > MAX_BLOCKS) {
    const error = { code: -32000, message: `maximum block range: ${MAX_BLOCKS}` }
    return Buffer.from(JSON.stringify({ ...base, error }))
  }
  // A copy, because the next reply may overwrite the buffer before this one is sent.
  return Buffer.from(fixture.reply(from, Math.min(to, latest)))
}

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    const body = { counts: { ...counts }, ranges, latest, finalized: latest - FINALITY_LAG }
    for (const method of Object.keys(counts)) delete counts[method]
    ranges = []
    // Advances the head for the next query.
    if (request.url === '/counts?advance') latest += 5
    response.end(JSON.stringify(body))
    return
  }
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const call = JSON.parse(Buffer.concat(parts).toString()) as Call | Call[]
    response.setHeader('content-type', 'application/json')
    response.end(
      Array.isArray(call) ? `[${call.map((each) => respond(each).toString()).join(',')}]` : respond(call),
    )
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
