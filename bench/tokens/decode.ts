import { gunzipSync, gzipSync } from 'node:zlib'
import {
  createAddressTable,
  createColumnBuilder,
  decodeLogsBytes,
  measureFlow,
} from '@touchstone402/server/chain'
import { openFixture, TOKEN } from './fixture.ts'
import { ratios, spread, timed } from './measure.ts'

const DAY_BLOCKS = 43_200
const GUNZIP_CHUNK = 1024 * 1024

/** From the bytes of a reply to the figures of /flow. */
export const flowOf = (body: Buffer): number => {
  const builder = createColumnBuilder(createAddressTable(1), Math.ceil(body.length / 560))
  if (decodeLogsBytes(body, TOKEN.slice(2), builder) === null) throw new Error('the fast decoder gave up')
  return measureFlow(builder.finish()).addresses
}

/** One body of 100,000 logs, the ways interleaved. */
export const measureDecode = (rows: number, rounds: number) => {
  const fixture = openFixture(rows, Math.round((DAY_BLOCKS * rows) / 1_000_000))
  const body = fixture.reply(fixture.firstBlock, fixture.firstBlock + fixture.blocks - 1)
  const zipped = gzipSync(body, { level: 6 })
  const parse: number[] = []
  const flow: number[] = []
  const gzip: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const times = [
      timed(() => JSON.parse(body.toString('utf8')) as unknown),
      timed(() => flowOf(body)),
      timed(() => flowOf(gunzipSync(zipped, { chunkSize: GUNZIP_CHUNK }))),
    ]
    // The first round warms up.
    if (round === 0) continue
    parse.push(times[0] ?? 0)
    flow.push(times[1] ?? 0)
    gzip.push(times[2] ?? 0)
  }
  return { parseMs: spread(parse), flow: ratios(flow, parse), gzip: ratios(gzip, parse) }
}
