import { compareKeys, type MapBody, rowOf } from '../mapBody.ts'
import { RECORD_BYTES, readNumber } from '../mapEntry.ts'
import { MapFormatError } from '../mapError.ts'
import { KEY_BYTES } from '../mapKey.ts'
import { CHANGE_BYTES, DIFF_MAGIC, DIFF_START_BYTES } from './mapDiff.ts'
import { writeMapBody } from './writeBody.ts'

/**
 * Applies a diff and returns the bytes of the newer body, whose hash the caller compares with the header.
 * Memory is bounded by the lengths of the map and the diff.
 * @throws MapFormatError
 */
export function applyMapDiff(map: MapBody, diff: Uint8Array): Uint8Array<ArrayBuffer> {
  const view = new DataView(diff.buffer, diff.byteOffset, diff.length)
  if (diff.length < DIFF_START_BYTES || view.getUint32(0) !== DIFF_MAGIC) throw new MapFormatError('title')
  const number = (index: number) => view.getUint32(4 * index)
  const [baseSlot, entries, rowCount] = [number(1), number(2), number(3)]
  let at = DIFF_START_BYTES
  const take = (length: number) => {
    at += length
    if (at > diff.length) throw new MapFormatError('end')
    return diff.subarray(at - length, at)
  }
  const removed = take(KEY_BYTES * number(4))
  const added = take(RECORD_BYTES * number(5))
  const records = merge(map, removed, added)
  if (records.length !== RECORD_BYTES * entries) throw new MapFormatError('entries')
  for (let left = number(6); left > 0; left--) {
    const change = take(CHANGE_BYTES)
    const index = view.getUint32(at - CHANGE_BYTES)
    if (index >= entries) throw new MapFormatError('entries')
    records.set(change.subarray(4), RECORD_BYTES * index + KEY_BYTES)
  }
  const rows = Array.from(map.rowAt, (_, row) => rowOf(map, row))
  for (let left = number(7); left > 0; left--) {
    const row = readNumber(take(5), 0)
    // A new one follows those that are there.
    if (row > rows.length) throw new MapFormatError('rows')
    rows[row] = take(view.getUint16(at - 2))
  }
  if (at !== diff.length || rows.length !== rowCount) throw new MapFormatError('end')
  return writeMapBody({ baseSlot, records, rows })
}

/** Merges the records of a map with new ones, which take the place of those of their keys, and leaves removed ones out. */
function merge({ records, entries }: MapBody, removed: Uint8Array, added: Uint8Array): Uint8Array {
  const merged = new Uint8Array(records.length + added.length)
  let [made, gone, next] = [0, 0, 0]
  const put = (from: Uint8Array, at: number) => {
    merged.set(from.subarray(at, at + RECORD_BYTES), made)
    made += RECORD_BYTES
  }
  for (let index = 0; index < entries; index++) {
    while (next < added.length && compareKeys(records, index, added, next) > 0) {
      put(added, next)
      next += RECORD_BYTES
    }
    while (gone < removed.length && compareKeys(records, index, removed, gone) > 0) gone += KEY_BYTES
    // A version between may hold it already.
    if (next < added.length && compareKeys(records, index, added, next) === 0) continue
    if (gone < removed.length && compareKeys(records, index, removed, gone) === 0) continue
    put(records, RECORD_BYTES * index)
  }
  merged.set(added.subarray(next), made)
  return merged.subarray(0, made + added.length - next)
}
