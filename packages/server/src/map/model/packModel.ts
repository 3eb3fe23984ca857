import { KEY_BYTES, TABLES, type TableName } from '@touchstone402/shared/map'
import {
  createByteWriter,
  createRiceWriter,
  type MapDiff,
  type Upsert,
  writeBodyStart,
  writeMapDiff,
  writeTableInSteps,
} from '@touchstone402/shared/map-write'
import { keyAt, type MapModel, valueAtIndex } from './mapModel.ts'
import type { MapTables } from './mapTables.ts'
import type { RowTable } from './rowTable.ts'

/** A key that left the map. */
export type Removal = { readonly key: Uint8Array; readonly removedIn: number }

const STEP = 8192

/** Packs a model into the bytes of a body. Pauses are where it yields. */
export function* packModel(
  model: MapModel,
  tables: MapTables,
  baseSlot: number,
): Generator<void, Uint8Array<ArrayBuffer>> {
  const writer = createByteWriter(model.tails.length + model.values.length + 4 * model.entries + 65_536)
  writeBodyStart(writer, model.entries, baseSlot)
  for (const name of TABLES) {
    yield* writeTableInSteps(writer, tables[name].rows)
  }
  const coder = createRiceWriter(model.entries)
  for (let index = 0; index < model.entries; index++) {
    if (index % STEP === 0) yield
    coder.put(model.heads[index] ?? 0)
  }
  const heads = coder.finish()
  writer.varint(heads.length)
  writer.put(heads)
  yield
  writer.put(model.tails)
  yield
  writer.put(model.values)
  yield
  return writer.bytes()
}

/** Makes the diff that leads from a version, and from every later one, to the model. Pauses are where it yields. */
export function* packDiff(
  model: MapModel,
  tables: MapTables,
  removals: readonly Removal[],
  { from, baseSlot }: { from: number; baseSlot: number },
): Generator<void, Uint8Array<ArrayBuffer>> {
  const upserts: Upsert[] = []
  for (let index = 0; index < model.entries; index++) {
    if (index % (8 * STEP) === 0) yield
    if ((model.changedIn[index] ?? 0) <= from) continue
    const key = (model.createdIn[index] ?? 0) > from ? wholeKey(model, index) : undefined
    upserts.push({ index, key, value: valueAtIndex(model, index) })
  }
  const changed = ({
    rows,
    setIn,
  }: Pick<RowTable<never>, 'rows' | 'setIn'>): MapDiff['tables'][TableName] => ({
    count: rows.length,
    rows: rows.flatMap((bytes, row) => ((setIn[row] ?? 0) > from ? [{ row, bytes }] : [])),
  })
  const gone = removals.filter(({ removedIn }) => removedIn > from).map(({ key }) => key)
  yield
  return writeMapDiff({
    entries: model.entries,
    baseSlot,
    tables: {
      classes: changed(tables.classes),
      receivers: changed(tables.receivers),
      prices: changed(tables.prices),
      sites: changed(tables.sites),
    },
    removals: gone,
    upserts,
  })
}

/** Returns the 16 bytes of an entry's key. */
export function wholeKey(model: MapModel, index: number): Uint8Array {
  const { head, tail } = keyAt(model, index)
  return joinKey(head, tail)
}

/** Joins a key from its first word and its rest. */
export function joinKey(head: number, tail: Uint8Array): Uint8Array {
  const key = new Uint8Array(KEY_BYTES)
  new DataView(key.buffer).setUint32(0, head)
  key.set(tail, 4)
  return key
}
