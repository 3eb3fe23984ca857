import type { Look } from './splitLook.ts'

/** A stored look: the number of its shape and what differs. */
export type NumberedLook = { readonly shape: number; readonly look: Look }

// Bits of the first byte.
const SHORT_ID = 1
const HAS_LATENCY = 2
const HAS_ANSWER = 4
const HAS_ASKED = 8
const HAS_ENDPOINT = 16

/** Ids of this form take nine bytes. */
const SHORT_ID_FORM = /^obs_[\w-]{12}$/
const SHORT_ID_BYTES = 9

/**
 * Encodes a look without its time: a byte of flags, the number of its shape, latency and time of the resource's answer as
 * variable integers, the id, and the client and endpoint as text.
 */
export function encodeLook(shape: number, look: Omit<Look, 'at'>): Uint8Array {
  const { id, client, latencyMs, askedAt, endpoint } = look
  const isShort = SHORT_ID_FORM.test(id)
  const flags =
    (isShort ? SHORT_ID : 0) |
    (latencyMs === undefined ? 0 : HAS_LATENCY) |
    (typeof latencyMs === 'number' ? HAS_ANSWER : 0) |
    (askedAt === undefined ? 0 : HAS_ASKED) |
    (endpoint === undefined ? 0 : HAS_ENDPOINT)
  const bytes = [flags]
  pushVarint(bytes, shape)
  if (typeof latencyMs === 'number') pushVarint(bytes, latencyMs)
  if (askedAt !== undefined) pushVarint(bytes, askedAt)
  if (isShort) bytes.push(...Buffer.from(id.slice(4), 'base64url'))
  else pushText(bytes, id)
  pushText(bytes, client)
  if (endpoint !== undefined) pushText(bytes, endpoint)
  return Uint8Array.from(bytes)
}

/** Decodes a look that was made at a time. @throws RangeError if bytes are missing */
export function decodeLook(bytes: Uint8Array, at: number): NumberedLook {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const flags = buffer.readUInt8(0)
  let offset = 1
  const take = (length: number) => {
    if (offset + length > buffer.length) throw new RangeError('A look ends too early')
    offset += length
    return buffer.subarray(offset - length, offset)
  }
  const varint = () => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const [byte = 0] = take(1)
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  const text = () => {
    const length = varint()
    return take(Math.floor(length / 2)).toString(length % 2 === 0 ? 'utf8' : 'utf16le')
  }
  const shape = varint()
  const latencyMs = (flags & HAS_ANSWER) === 0 ? null : varint()
  const askedAt = (flags & HAS_ASKED) === 0 ? undefined : varint()
  const id = (flags & SHORT_ID) === 0 ? text() : `obs_${take(SHORT_ID_BYTES).toString('base64url')}`
  const client = text()
  const endpoint = (flags & HAS_ENDPOINT) === 0 ? undefined : text()
  const look = {
    id,
    at,
    client,
    ...((flags & HAS_LATENCY) !== 0 && { latencyMs }),
    ...(askedAt !== undefined && { askedAt }),
    ...(endpoint !== undefined && { endpoint }),
  }
  return { shape, look }
}

function pushVarint(bytes: number[], value: number): void {
  let rest = value
  // Division, since times have more than 32 bits.
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  bytes.push(rest)
}

function pushText(bytes: number[], text: string): void {
  const short = Buffer.from(text)
  // UTF-8 has no lone surrogates.
  const isWide = short.toString() !== text
  const encoded = isWide ? Buffer.from(text, 'utf16le') : short
  pushVarint(bytes, encoded.length * 2 + (isWide ? 1 : 0))
  for (const byte of encoded) bytes.push(byte)
}
