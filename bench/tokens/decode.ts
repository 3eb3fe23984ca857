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
/** Bytes per network read. */
const PART = 64 * 1024

/** Computes the figures of `/flow` from the bytes of a reply. */
export function flowOf(body: Buffer): number {
  const builder = createColumnBuilder(createAddressTable(1), Math.ceil(body.length / 560))
  if (decodeLogsBytes(body, TOKEN.slice(2), builder) === null) throw new Error('the byte decoder gave up')
  return measureFlow(builder.finish()).addresses
}

/** Computes the figures of `/flow` from a gzipped reply, streamed as from the network. */
async function flowOfZipped(zipped: Buffer): Promise<number> {
  const parts = Array.from({ length: Math.ceil(zipped.length / PART) }, (_, i) =>
    zipped.subarray(i * PART, (i + 1) * PART),
  )
  const builder = createColumnBuilder(createAddressTable(1))
  const sink = createLogStream(TOKEN.slice(2), builder)
  await receiveBody(Readable.from(parts), { zipped: true, maxBytes: 2 ** 30, sink })
  if (sink.end() === null) throw new Error('the byte decoder gave up')
  return measureFlow(builder.finish()).addresses
}

/** Measures decoding and JSON.parse of the same body, interleaved, in CPU time. */
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
    // Round 0 is a warm-up.
    if (round === 0) continue
    parse.push(parseMs)
    flow.push(flowMs)
    gzip.push(gzipMs)
  }
  return { parseMs: spread(parse), flow: ratios(flow, parse), gzip: ratios(gzip, parse) }
}
