import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'

const compress = promisify<Uint8Array, Buffer>(deflate)

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const BYTES_PER_PIXEL = 4
/** Bit depth, colour type (true colour with alpha), compression, filter, no interlace. */
const FORMAT = [8, 6, 0, 0, 0]

/** An opaque picture in RGBA, from the top left. */
export type Pixels = { readonly width: number; readonly height: number; readonly pixels: Buffer }

/** Encodes a picture as PNG; the compression, which takes the longest, is off the event loop. Source: W3C PNG, third edition. */
export async function encodePng({ width, height, pixels }: Pixels): Promise<Uint8Array> {
  const row = width * BYTES_PER_PIXEL
  // Each row begins with its filter, 0 for none: flat colours compress as well without.
  const rows = Buffer.alloc(height * (row + 1))
  for (let line = 0; line < height; line++)
    pixels.copy(rows, line * (row + 1) + 1, line * row, (line + 1) * row)
  const header = Buffer.alloc(8)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([header, Buffer.from(FORMAT)])),
    chunk('IDAT', await compress(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(4)
  frame.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([frame, body, sum])
}
