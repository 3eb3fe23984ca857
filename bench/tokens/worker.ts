import {
  createAddressTable,
  createColumnBuilder,
  createLogStream,
  measureFlow,
} from '@touchstone402/transfers/parts'
import { flowOf } from './decode.ts'
import { openFixture, TOKEN } from './fixture.ts'
import { cpuOf, cpuTime, spread } from './measure.ts'

const DAY_BLOCKS = 43_200
/** Blocks per reply: about 100,000 logs. All logs together exceed the maximum length of a string. */
const REPLY_BLOCKS = 4320

/**
 * Runs one measurement in a separate process, to measure its memory. Prints one JSON line.
 * Usage: `worker.ts viem|flow|parse <rows>`
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

/** Measures our decoder over the same body as viem, warm. */
function measureOwn(): number {
  const body = fixture.reply(firstBlock, firstBlock + blocks - 1)
  return spread(Array.from({ length: 5 }, () => cpuOf(() => flowOf(body)))).median
}

async function measure(): Promise<number> {
  if (kind === 'parse') return measureParse()
  if (kind === 'flow') return measureFlowOfAll()
  return measureViem()
}

/** Measures the usual stack on the bytes of the same body: viem decodes, a Map sums. */
async function measureViem(): Promise<number> {
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
