import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import {
  createAddressTable,
  createColumnBuilder,
  createLogStream,
  decodeLogsBytes,
  measureFlow,
  receiveBody,
} from '@touchstone402/transfers/parts'
import { openFixture, TOKEN } from './fixture.ts'
import { cpuOf, cpuTime, ratios, spread } from './measure.ts'

const DAY_BLOCKS = 43_200
/** Bytes that come off the wire at a time. */
const PART = 64 * 1024

/** From the bytes of a reply to the figures of /flow. */
export function flowOf(body: Buffer): number {
  const builder = createColumnBuilder(createAddressTable(1), Math.ceil(body.length / 560))
  if (decodeLogsBytes(body, TOKEN.slice(2), builder) === null) throw new Error('the fast decoder gave up')
  return measureFlow(builder.finish()).addresses
}

/** From a gzipped reply, as it comes off the wire, to the figures of /flow. */
async function flowOfZipped(zipped: Buffer): Promise<number> {
  const parts = Array.from({ length: Math.ceil(zipped.length / PART) }, (_, i) =>
    zipped.subarray(i * PART, (i + 1) * PART),
  )
  const builder = createColumnBuilder(createAddressTable(1))
  const sink = createLogStream(TOKEN.slice(2), builder)
  await receiveBody(Readable.from(parts), { zipped: true, maxBytes: 2 ** 30, sink })
  if (sink.end() === null) throw new Error('the fast decoder gave up')
  return measureFlow(builder.finish()).addresses
}

/** One body of 100,000 logs, the ways interleaved, in processor time. */
export async function measureDecode(rows: number, rounds: number) {
  const fixture = openFixture(rows, Math.round((DAY_BLOCKS * rows) / 1_000_000))
  const body = fixture.reply(fixture.firstBlock, fixture.firstBlock + fixture.blocks - 1)
  const zipped = gzipSync(body, { level: 6 })
  const parse: number[] = []
  const flow: number[] = []
  const gzip: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const parseMs = cpuOf(() => JSON.parse(body.toString('utf8')) as unknown)
    const parsed = cpuTime()
    await flowOfZipped(zipped)
    const gzipMs = cpuTime() - parsed
    const flowMs = cpuOf(() => flowOf(body))
    // The first round warms up.
    if (round === 0) continue
    parse.push(parseMs)
    flow.push(flowMs)
    gzip.push(gzipMs)
  }
  return { parseMs: spread(parse), flow: ratios(flow, parse), gzip: ratios(gzip, parse) }
}
