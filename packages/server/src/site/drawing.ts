import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { admit, createLimiter } from '../http/rateLimit.ts'
import { ProblemError } from '../lib/problemError.ts'

/** Pictures that a client may have drawn; those that are kept are not counted. */
const DRAWN_PER_CLIENT = { points: 30, windowSeconds: 60 }
const MAX_KEPT = 256
const MAX_WAITING = 32

/** Layout engine and fonts of a picture. */
export type DrawingTools = Pick<Awaited<ReturnType<typeof loadLibraries>>, 'satori' | 'fonts'>

/**
 * Draws a picture as PNG, or returns the one that is kept.
 * @param key identity of the picture: equal keys mean equal pictures
 * @param write returns the picture as SVG, in the font Manrope
 * @throws ProblemError 429 or 503
 */
export type Draw = (
  key: string,
  write: (tools: DrawingTools) => string | Promise<string>,
  client: string,
) => Promise<Uint8Array>

/**
 * Creates the drawing of pictures: one at a time, in some 30 ms of the event loop since texts are bounded; the first
 * takes 0.2 s. The last {@link MAX_KEPT} are kept.
 */
export function createDrawing(): Draw {
  const clients = createLimiter(DRAWN_PER_CLIENT)
  const kept = new Map<string, Promise<Uint8Array>>()
  const libraries = loadLibraries()
  // A platform without a binary has no pictures, and everything else.
  libraries.catch(() => {})
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  const make = async (write: Parameters<Draw>[1]) => {
    const { renderAsync, font, ...tools } = await libraries
    // Letters are drawn off the event loop.
    return (await renderAsync(await write(tools), { font })).asPng()
  }
  return (key, write, client) => {
    const known = kept.get(key)
    if (known !== undefined) return known
    admit(clients, client)
    if (waiting >= MAX_WAITING)
      throw new ProblemError(503, 'queue_full', 'Many pictures are being drawn.', { retryAfterSeconds: 5 })
    waiting += 1
    const made = last.then(() => make(write)).finally(() => (waiting -= 1))
    last = made.catch(() => kept.delete(key))
    kept.set(key, made)
    const [oldest] = kept.keys()
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
    return made
  }
}

/** The fonts come with the service, so a picture looks the same on every machine. */
async function loadLibraries() {
  const { resolve } = createRequire(import.meta.url)
  const files = ['500Medium/Manrope_500Medium', '800ExtraBold/Manrope_800ExtraBold'].map((file) =>
    resolve(`@expo-google-fonts/manrope/${file}.ttf`),
  )
  // The drawing library asks Node for a report to find its binary. Without this, Node looks up the name of every connected
  // peer for it, which holds up the process for as long as the resolver takes.
  Object.assign(process.report, { excludeNetwork: true })
  const [{ default: satori }, { renderAsync }, ...data] = await Promise.all([
    import('satori'),
    import('@resvg/resvg-js'),
    ...files.map((file) => readFile(file)),
  ])
  const weights = [500, 800] as const
  const fonts = data.map((one, index) => ({ name: 'Manrope', data: one, weight: weights[index] ?? 500 }))
  const font = { loadSystemFonts: false, fontFiles: files, defaultFontFamily: 'Manrope' }
  return { satori, renderAsync, fonts, font }
}
