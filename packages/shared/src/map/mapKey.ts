import { sha256InScript } from '@touchstone402/transparency'

/** Bytes of a key. Eight could be ground by someone who owns both URLs. */
export const KEY_BYTES = 16

const PREFIX = 'touchstone map v1\n'
const TEMPLATE_SEGMENT = /^(%7B[A-Za-z0-9_-]+%7D|:[A-Za-z0-9_-]+)$/
const PARAMETER = '{}'
const MAX_SHAPES = 64
const encoder = new TextEncoder()
// Reused, since a look-up costs less than a new array. It is as long as the longest canonical URL.
const preimage = new Uint8Array(PREFIX.length + 2048)
preimage.set(encoder.encode(PREFIX))
const room = preimage.subarray(PREFIX.length)

/** Returns the key of a canonical endpoint URL or of a shape: the first 16 bytes of a SHA-256. */
export function mapKeyOf(text: string): Uint8Array {
  // A view of so short an array costs more than its copy.
  return digestOf(text).slice(0, KEY_BYTES)
}

function digestOf(text: string): Uint8Array {
  const { read, written } = encoder.encodeInto(text, room)
  if (read < text.length) return sha256InScript(encoder.encode(PREFIX + text))
  return sha256InScript(preimage, PREFIX.length + written)
}

/** Returns a listed template under the one spelling of its parameters: `/weather/{city}` becomes `/weather/{}`. */
export function toShape(templateKey: string): string {
  return templateKey
    .split('/')
    .map((segment, index) => (index > 2 && TEMPLATE_SEGMENT.test(segment) ? PARAMETER : segment))
    .join('/')
}

/**
 * Returns the text whose key marks that an origin lists templates of so many segments, so that an endpoint which the
 * map does not hold costs two hashes and not 65.
 */
export function shapeMarker(key: string): string {
  const segments = key.split('/')
  // No canonical URL has a space.
  return `${segments.slice(0, 3).join('/')} ${segments.length - 3}`
}

/** Returns the shapes that could match an endpoint, the ones with fewest parameters first, at most 64. */
export function shapesOf(key: string): string[] {
  const segments = key.split('/')
  const places = segments.flatMap((segment, index) => (index > 2 && segment !== '' ? [index] : []))
  let chosen: number[][] = [[]]
  const shapes: string[] = []
  while (shapes.length < MAX_SHAPES && chosen.length > 0) {
    chosen = chosen.flatMap((taken) =>
      places.filter((at) => at > (taken.at(-1) ?? 0)).map((at) => [...taken, at]),
    )
    for (const taken of chosen.slice(0, MAX_SHAPES - shapes.length)) {
      shapes.push(segments.map((segment, index) => (taken.includes(index) ? PARAMETER : segment)).join('/'))
    }
    // One more parameter than the bound allows is never looked up.
    chosen = chosen.slice(0, MAX_SHAPES)
  }
  return shapes
}
