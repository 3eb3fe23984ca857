import {
  createAddressTable,
  createColumnBuilder,
  createLogStream,
  measureFlow,
} from '@touchstone402/transfers/parts'
import { openFixture, TOKEN } from './fixture.ts'
import { cpuOf, cpuTime } from './measure.ts'

const DAY_BLOCKS = 43_200
/** Blocks per reply: about 100,000 logs. All logs together exceed the maximum length of a string. */
const REPLY_BLOCKS = 4320

/**
 * Runs one measurement in a separate process, to measure its memory. Prints one JSON line.
 * Usage: `worker.ts flow|parse|viem <rows>`
 */
const [kind, text] = process.argv.slice(2)
const rows = Number(text)
const fixture = openFixture(rows, Math.round((DAY_BLOCKS * rows) / 1_000_000))
const { firstBlock, blocks } = fixture
const replies = Array.from({ length: Math.ceil(blocks / REPLY_BLOCKS) }, (_, i) => {
  const from = firstBlock + i * REPLY_BLOCKS
  return { from, to: Math.min(firstBlock + blocks - 1, from + REPLY_BLOCKS - 1) }
})

// Excludes reading the file.
const measureParse = (): number =>
  replies.reduce((ms, { from, to }) => {
    const body = fixture.reply(from, to)
    return ms + cpuOf(() => JSON.parse(body.toString('utf8')) as unknown)
  }, 0)

function measureFlowOfAll(): number {
  const builder = createColumnBuilder(createAddressTable(1), rows)
  let ms = 0
  for (const { from, to } of replies) {
    const stream = createLogStream(TOKEN.slice(2), builder)
    for (const chunk of fixture.chunks(from, to)) ms += cpuOf(() => stream.write(chunk))
    if (stream.end() === null) throw new Error('the byte decoder gave up')
  }
  return ms + cpuOf(() => measureFlow(builder.finish()))
}

/** Measures what an app does with viem: a client decodes the logs, a map sums them. */
async function measureViem(): Promise<number> {
  // The others are measured without its memory.
  const { createPublicClient, custom, parseAbiItem } = await import('viem')
  const event = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')
  let ms = 0
  const nets = new Map<string, bigint>()
  for (const { from: fromBlock, to: toBlock } of replies) {
    const body = fixture.reply(fromBlock, toBlock)
    const start = cpuTime()
    const request = async () => (JSON.parse(body.toString('utf8')) as { result: unknown }).result
    const client = createPublicClient({ transport: custom({ request }) })
    const range = { fromBlock: BigInt(fromBlock), toBlock: BigInt(toBlock) }
    for (const { args } of await client.getLogs({ address: TOKEN, event, strict: true, ...range })) {
      nets.set(args.from, (nets.get(args.from) ?? 0n) - args.value)
      nets.set(args.to, (nets.get(args.to) ?? 0n) + args.value)
    }
    ms += cpuTime() - start
  }
  return ms
}

async function measure(): Promise<number> {
  if (kind === 'parse') return measureParse()
  return kind === 'viem' ? measureViem() : measureFlowOfAll()
}

const ms = await measure()
process.stdout.write(`${JSON.stringify({ ms, peakRssMb: process.resourceUsage().maxRSS / 1024 })}\n`)
