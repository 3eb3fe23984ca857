import { TABLES, type TableName } from '../mapBody.ts'
import { createByteWriter } from './byteWriter.ts'

/** First bytes of every diff. */
export const DIFF_MAGIC = 'TSD1'

/** Changes of one table: its new number of rows, and those that are new or different. */
export type TableChange = { count: number; rows: readonly { row: number; bytes: Uint8Array }[] }
/** An entry that is new or different, by its index in the newer map. Only a new one states its key. */
export type Upsert = { index: number; key?: Uint8Array | undefined; value: Uint8Array }

/** What turns a map, or any version between it and the newer one, into the newer one. */
export type MapDiff = {
  entries: number
  baseSlot: number
  tables: Readonly<Record<TableName, TableChange>>
  /** Keys in any order. A key that the older map does not hold is ignored. */
  removals: readonly Uint8Array[]
  /** By ascending index. */
  upserts: readonly Upsert[]
}

/** Encodes a diff. */
export function writeMapDiff(diff: MapDiff): Uint8Array<ArrayBuffer> {
  const writer = createByteWriter(1024)
  writer.put(new TextEncoder().encode(DIFF_MAGIC))
  writer.varint(diff.entries)
  writer.varint(diff.baseSlot)
  for (const name of TABLES) {
    const { count, rows } = diff.tables[name]
    writer.varint(count)
    writer.varint(rows.length)
    let next = 0
    for (const { row, bytes } of rows) {
      writer.varint(row - next)
      writer.varint(bytes.length)
      writer.put(bytes)
      next = row + 1
    }
  }
  writer.varint(diff.removals.length)
  for (const key of diff.removals) writer.put(key)
  writer.varint(diff.upserts.length)
  let next = 0
  for (const { index, key, value } of diff.upserts) {
    writer.varint(2 * (index - next) + (key === undefined ? 0 : 1))
    if (key !== undefined) writer.put(key)
    writer.put(value)
    next = index + 1
  }
  return writer.bytes()
}
