import { createByteReader } from '../byteReader.ts'
import { compareBytes, headOf, type MapBody, rowOf, TABLES, TAIL_BYTES, type TableName } from '../mapBody.ts'
import { skipEntry } from '../mapEntry.ts'
import { MapFormatError } from '../mapError.ts'
import { KEY_BYTES } from '../mapKey.ts'
import { createByteWriter } from './byteWriter.ts'
import { DIFF_MAGIC } from './mapDiff.ts'
import { writeBodyStart, writeHeads, writeTable } from './writeBody.ts'

/**
 * Applies a diff and returns the bytes of the newer body, whose hash the caller compares with the header.
 * Memory is bounded by the lengths of the map and the diff.
 * @throws MapFormatError
 */
export function applyMapDiff(map: MapBody, diff: Uint8Array): Uint8Array<ArrayBuffer> {
  const reader = createByteReader(diff)
  if (new TextDecoder().decode(reader.take(DIFF_MAGIC.length)) !== DIFF_MAGIC)
    throw new MapFormatError('title')
  const entries = reader.varint()
  // Every entry is one of the map or costs a byte of the diff.
  if (entries > map.entries + diff.length) throw new MapFormatError('entries')
  const writer = createByteWriter(map.bytes.length + diff.length)
  writeBodyStart(writer, entries, reader.varint())
  const counts: Partial<Record<TableName, number>> = {}
  for (const name of TABLES) {
    const rows = readTable(name)
    counts[name] = rows.length
    writeTable(writer, rows)
  }
  const { receivers = 0, prices = 0, sites = 0 } = counts
  const isRemoved = readRemovals()

  const heads = new Uint32Array(entries)
  const tails = new Uint8Array(TAIL_BYTES * entries)
  const values = createByteWriter(map.bytes.length + diff.length)
  let old = 0
  let made = 0
  const skipRemoved = () => {
    while (old < map.entries && isRemoved(old)) old++
  }
  const copyOld = (value?: Uint8Array) => {
    skipRemoved()
    if (old >= map.entries || made >= entries) throw new MapFormatError('entries')
    heads[made] = map.heads[old] ?? 0
    const at = map.tailsAt + TAIL_BYTES * old
    tails.set(map.bytes.subarray(at, at + TAIL_BYTES), TAIL_BYTES * made++)
    values.put(value ?? map.bytes.subarray(map.valueAt[old], map.valueAt[old + 1]))
    old++
  }
  const upserts = reader.varint()
  if (upserts > reader.left()) throw new MapFormatError('entries')
  for (let left = upserts; left > 0; left--) {
    const step = reader.varint()
    for (let kept = Math.floor(step / 2); kept > 0; kept--) copyOld()
    const key = step % 2 === 1 ? reader.take(KEY_BYTES) : undefined
    const from = reader.at
    skipEntry(reader, { receivers, prices, sites })
    const value = diff.subarray(from, reader.at)
    if (key === undefined) {
      copyOld(value)
      continue
    }
    skipRemoved()
    if (made >= entries) throw new MapFormatError('entries')
    // A version between may hold it already.
    if (old < map.entries && isKeyAt(map, old, key)) old++
    heads[made] = headOf(key)
    tails.set(key.subarray(4), TAIL_BYTES * made++)
    values.put(value)
  }
  if (reader.left() > 0) throw new MapFormatError('end')
  while (made < entries) copyOld()
  skipRemoved()
  if (old < map.entries) throw new MapFormatError('entries')
  // Unsorted ones give bytes of another hash.
  writeHeads(writer, heads)
  writer.put(tails)
  writer.put(values.bytes())
  return writer.bytes()

  function readTable(name: TableName): Uint8Array[] {
    const table = map.tables[name]
    const count = reader.varint()
    const changed = reader.varint()
    if (count < table.count || count > table.count + changed || changed > reader.left()) {
      throw new MapFormatError('rows')
    }
    const rows = Array.from({ length: table.count }, (_, row) => rowOf(map.bytes, table, row))
    let next = 0
    for (let left = changed; left > 0; left--) {
      const row = next + reader.varint()
      if (row > rows.length || row >= count) throw new MapFormatError('rows')
      rows[row] = reader.take(reader.varint())
      next = row + 1
    }
    if (rows.length !== count) throw new MapFormatError('rows')
    return rows
  }

  function readRemovals(): (index: number) => boolean {
    const count = reader.varint()
    if (count * KEY_BYTES > reader.left()) throw new MapFormatError('removals')
    const removed = new Map<number, Uint8Array[]>()
    for (let left = count; left > 0; left--) {
      const key = reader.take(KEY_BYTES)
      const head = headOf(key)
      const others = removed.get(head)
      if (others === undefined) removed.set(head, [key])
      // Heads that collide by design would make this slow.
      else if (others.push(key) > 1000) throw new MapFormatError('removals')
    }
    return (index) => removed.get(map.heads[index] ?? 0)?.some((key) => isKeyAt(map, index, key)) === true
  }
}

function isKeyAt({ bytes, heads, tailsAt }: MapBody, index: number, key: Uint8Array): boolean {
  return (
    heads[index] === headOf(key) &&
    compareBytes(bytes, tailsAt + TAIL_BYTES * index, key, 4, TAIL_BYTES) === 0
  )
}
