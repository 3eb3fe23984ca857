import {
  createAddressTable,
  createColumnBuilder,
  createLogStream,
  measureFlow,
} from '@touchstone402/server/chain'
import { flowOf } from './decode.ts'
import { openFixture, TOKEN } from './fixture.ts'
import { cpuOf, cpuTime, spread } from './measure.ts'

const DAY_BLOCKS = 43_200
const CHUNK_BLOCKS = 432
/** As a body arrives: unzipped pieces of this size. */
const PIECE = 256 * 1024

/**
 * One measurement in a process of its own, so that its memory is its own. Prints one JSON line.
 * `worker.ts viem|flow|parse <rows>`
 */
const [kind, text] = process.argv.slice(2)
const rows = Number(text)
const fixture = openFixture(rows, Math.round((DAY_BLOCKS * rows) / 1_000_000))
const { firstBlock, blocks } = fixture
const chunks = () =>
  Array.from({ length: Math.ceil(blocks / CHUNK_BLOCKS) }, (_, i) => {
    const from = firstBlock + i * CHUNK_BLOCKS
    return { from, to: Math.min(firstBlock + blocks - 1, from + CHUNK_BLOCKS - 1) }
  })

/** Reading the file is no part of either way. */
const overChunks = (work: (body: Buffer) => void): number => {
  let ms = 0
  for (const { from, to } of chunks()) {
    const body = fixture.reply(from, to)
    const start = cpuTime()
    work(body)
    ms += cpuTime() - start
  }
  return ms
}

/** The own way over one body, warm, beside the usual stack's. */
const measureOwn = (): number => {
  const body = fixture.reply(firstBlock, firstBlock + blocks - 1)
  return spread(Array.from({ length: 5 }, () => cpuOf(() => flowOf(body)))).median
}

const measure = async (): Promise<number> => {
  if (kind === 'parse') return overChunks((body) => JSON.parse(body.toString('utf8')))
  if (kind === 'flow') {
    const builder = createColumnBuilder(createAddressTable(1), rows)
    const decoded = overChunks((body) => {
      const stream = createLogStream(TOKEN.slice(2), builder)
      for (let at = 0; at < body.length; at += PIECE) stream.write(body.subarray(at, at + PIECE))
      if (stream.end() === null) throw new Error('the fast decoder gave up')
    })
    const start = cpuTime()
    measureFlow(builder.finish())
    return decoded + cpuTime() - start
  }
  return measureViem()
}

/** The usual stack: viem decodes, a Map adds up. It too starts from the body's bytes. */
const measureViem = async (): Promise<number> => {
  const { createPublicClient, custom, parseAbiItem } = await import('viem')
  const body = fixture.reply(firstBlock, firstBlock + blocks - 1)
  const request = async () => (JSON.parse(body.toString('utf8')) as { result: unknown }).result
  const client = createPublicClient({ transport: custom({ request }) })
  const event = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')
  const start = cpuTime()
  const logs = await client.getLogs({
    address: TOKEN,
    event,
    fromBlock: BigInt(firstBlock),
    toBlock: BigInt(firstBlock + blocks),
  })
  const net = new Map<string, bigint>()
  for (const { args } of logs) {
    const { from = '', to = '', value = 0n } = args
    net.set(from, (net.get(from) ?? 0n) - value)
    net.set(to, (net.get(to) ?? 0n) + value)
  }
  return cpuTime() - start
}

const ownMs = kind === 'viem' ? measureOwn() : 0
const ms = await measure()
process.stdout.write(`${JSON.stringify({ ms, ownMs, peakRssMb: process.resourceUsage().maxRSS / 1024 })}\n`)
