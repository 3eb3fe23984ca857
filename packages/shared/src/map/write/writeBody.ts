import { BODY_MAGIC, PACKED_BYTES, START_BYTES } from '../mapBody.ts'
import { RECORD_BYTES } from '../mapEntry.ts'

/** Parts of a body. */
export type BodyParts = {
  baseSlot: number
  /** Sorted by their keys. */
  records: Uint8Array
  rows: readonly Uint8Array[]
}

/** Steps between two pauses. */
const STEP = 8192

/** Returns the bytes of a body. @throws RangeError for a row of 64 kB or more */
export function writeMapBody(parts: BodyParts): Uint8Array<ArrayBuffer> {
  const work = writeInSteps(parts)
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

/** Makes the bytes of a body. Pauses are where it yields. */
export function* writeInSteps({
  baseSlot,
  records,
  rows,
}: BodyParts): Generator<void, Uint8Array<ArrayBuffer>> {
  const entries = records.length / RECORD_BYTES
  let length = START_BYTES + PACKED_BYTES * entries
  for (const row of rows) length += 2 + row.length
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  for (const [index, value] of [BODY_MAGIC, baseSlot, entries, rows.length].entries())
    view.setUint32(4 * index, value)
  let at = START_BYTES
  let index = 0
  for (let first = 0; first < 256; first++) {
    for (; records[RECORD_BYTES * index] === first; index++) {
      if (index % STEP === 0) yield
      const from = RECORD_BYTES * index + 1
      for (let part = 0; part < PACKED_BYTES; part++) bytes[at++] = records[from + part] as number
    }
    view.setUint32(16 + 4 * first, index)
  }
  for (const [number, row] of rows.entries()) {
    if (number % STEP === 0) yield
    if (row.length > 0xffff) throw new RangeError('a row of the map has less than 64 kB')
    view.setUint16(at, row.length)
    bytes.set(row, at + 2)
    at += 2 + row.length
  }
  return bytes
}
