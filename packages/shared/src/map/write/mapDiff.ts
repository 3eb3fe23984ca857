import { NO_ROW, RECORD_BYTES, VALUE_BYTES, writeNumber } from '../mapEntry.ts'
import { KEY_BYTES } from '../mapKey.ts'

/** First bytes of every diff: `TSD2`. */
export const DIFF_MAGIC = 0x54534432
/** Magic, base slot, and the numbers of entries, rows, removals, new records, changed values and changed rows. */
export const DIFF_START_BYTES = 32
/** Bytes of a changed value with its index. */
export const CHANGE_BYTES = 4 + VALUE_BYTES

/** Diff that updates a base map, or any later version, to the newest one. */
export type MapDiff = {
  baseSlot: number
  /** Number of entries and of rows of the newer map. */
  entries: number
  rows: number
  /** Keys in their order. One that the older map does not hold is ignored. */
  removed: readonly Uint8Array[]
  /** Records in the order of their keys. */
  added: readonly Uint8Array[]
  /** Values by their index in the newer map. */
  changed: readonly { index: number; value: Uint8Array }[]
  /** Rows that are new or different. */
  changedRows: readonly { row: number; bytes: Uint8Array }[]
}

/** Encodes a diff. */
export function writeMapDiff(diff: MapDiff): Uint8Array<ArrayBuffer> {
  const { baseSlot, entries, rows, removed, added, changed, changedRows } = diff
  let length = DIFF_START_BYTES + KEY_BYTES * removed.length + RECORD_BYTES * added.length
  length += CHANGE_BYTES * changed.length
  for (const { bytes } of changedRows) length += 5 + bytes.length
  const written = new Uint8Array(length)
  const view = new DataView(written.buffer)
  const counts = [removed, added, changed, changedRows].map((list) => list.length)
  for (const [index, value] of [DIFF_MAGIC, baseSlot, entries, rows, ...counts].entries())
    view.setUint32(4 * index, value)
  let at = DIFF_START_BYTES
  const put = (bytes: Uint8Array) => {
    written.set(bytes, at)
    at += bytes.length
  }
  for (const bytes of [...removed, ...added]) put(bytes)
  for (const { index, value } of changed) {
    view.setUint32(at, index)
    at += 4
    put(value)
  }
  for (const { row, bytes } of changedRows) {
    if (row >= NO_ROW) throw new RangeError('a map has fewer than 2^24 - 1 rows')
    writeNumber(written, at, row)
    view.setUint16(at + 3, bytes.length)
    at += 5
    put(bytes)
  }
  return written
}
