import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import type * as Resvg from '@resvg/resvg-js'
import { ProblemError } from '../../http/problems.ts'
import { CARD_FONT } from './drawCard.tsx'

const MAX_KEPT = 256
const MAX_WAITING = 32

const require = createRequire(import.meta.url)

/** Renders SVG to PNG. */
export type Renderer = {
  /** Returns the picture if it is cached, without rendering it. */
  peek(svg: string): Uint8Array | undefined
  /** @throws ProblemError 503 if too many renderings wait */
  render(svg: string): Promise<Uint8Array>
}

/** Creates a renderer: one picture at a time, off the event loop; the last {@link MAX_KEPT} pictures are cached by their SVG. */
export function createRenderer(): Renderer {
  const resvg = loadResvg()
  const kept = new Map<string, Uint8Array>()
  const underway = new Map<string, Promise<Uint8Array>>()
  let last: Promise<unknown> = Promise.resolve()

  const keep = (key: string, png: Uint8Array) => {
    // A map iterates in the order of insertion, so the first key is the one that was not asked for the longest.
    kept.delete(key)
    kept.set(key, png)
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT) break
      kept.delete(oldest)
    }
    return png
  }
  const draw = async (svg: string) => {
    const { renderAsync } = resvg.get()
    // The library would compress on the event loop, for some 15 ms.
    return encodePng(await renderAsync(svg, OPTIONS))
  }
  const peek = (svg: string) => {
    const key = keyOf(svg)
    const png = kept.get(key)
    return png && keep(key, png)
  }
  return {
    peek,
    async render(svg) {
      const key = keyOf(svg)
      const ready = peek(svg) ?? underway.get(key)
      if (ready !== undefined) return ready
      if (underway.size >= MAX_WAITING) {
        throw new ProblemError(503, 'queue_full', 'Many cards are being drawn.', { retryAfterSeconds: 5 })
      }
      const made = last.then(() => draw(svg)).then((png) => keep(key, png))
      underway.set(key, made)
      last = made.catch(() => {}).finally(() => underway.delete(key))
      return made
    },
  }
}

const keyOf = (svg: string) => hash('sha256', svg, 'base64url')

const fontFile = (weight: string) =>
  require.resolve(`@expo-google-fonts/manrope/${weight}/Manrope_${weight}.ttf`)

/** The fonts come with the service, so a card looks the same on every machine. */
const OPTIONS: Resvg.ResvgRenderOptions = {
  font: {
    loadSystemFonts: false,
    fontFiles: ['500Medium', '800ExtraBold'].map(fontFile),
    defaultFontFamily: CARD_FONT,
  },
}

/** Loads the library. Without a binary for this platform the service runs, and `get` throws. */
function loadResvg(): { readonly get: () => typeof Resvg } {
  // In Node since 20.13, and not in its types.
  const report: typeof process.report & { excludeNetwork?: boolean } = process.report
  const { excludeNetwork = false } = report
  // To find its binary the library asks Node for a report, which otherwise looks up the name of every peer: half a minute
  // with 200 connections.
  report.excludeNetwork = true
  try {
    const loaded = require('@resvg/resvg-js') as typeof Resvg
    return { get: () => loaded }
  } catch (error) {
    return {
      get: () => {
        throw error
      },
    }
  } finally {
    report.excludeNetwork = excludeNetwork
  }
}

const compress = promisify<Uint8Array, Buffer>(deflate)

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const BYTES_PER_PIXEL = 4
/** Bit depth, colour type (true colour with alpha), compression, filter, no interlace. */
const FORMAT = [8, 6, 0, 0, 0]

/** An opaque picture in RGBA, from the top left. */
type Pixels = { readonly width: number; readonly height: number; readonly pixels: Buffer }

/** Encodes a picture as PNG; the compression, which takes the longest, is off the event loop. Source: W3C PNG, third edition. */
async function encodePng({ width, height, pixels }: Pixels): Promise<Uint8Array> {
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
