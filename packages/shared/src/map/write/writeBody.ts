import { BODY_MAGIC } from '../mapBody.ts'
import { type ByteWriter, createByteWriter } from './byteWriter.ts'
import { createRiceWriter } from './riceWriter.ts'

/** Rows between two pauses. */
const TABLE_STEP = 8192

/** Writes the bytes that every body begins with. */
export function writeBodyStart(writer: ByteWriter, entries: number, baseSlot: number): void {
  writer.put(new TextEncoder().encode(BODY_MAGIC))
  writer.varint(entries)
  writer.varint(baseSlot)
}

/** Writes one table. */
export function writeTable(writer: ByteWriter, rows: readonly Uint8Array[]): void {
  for (const _ of writeTableInSteps(writer, rows));
}

/** Writes one table. Pauses are where it yields. */
export function* writeTableInSteps(writer: ByteWriter, rows: readonly Uint8Array[]): Generator<void, void> {
  const table = createByteWriter(32 * rows.length)
  for (let index = 0; index < rows.length; index++) {
    if (index % TABLE_STEP === 0) yield
    const row = rows[index] as Uint8Array
    table.varint(row.length)
    table.put(row)
  }
  writer.varint(rows.length)
  writer.varint(table.length())
  writer.put(table.bytes())
}

/** Writes the coded first words of the keys. */
export function writeHeads(writer: ByteWriter, heads: Uint32Array): void {
  const coder = createRiceWriter(heads.length)
  for (const head of heads) coder.put(head)
  const coded = coder.finish()
  writer.varint(coded.length)
  writer.put(coded)
}
