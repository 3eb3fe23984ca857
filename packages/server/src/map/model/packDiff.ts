import { RECORD_BYTES } from '@touchstone402/shared/map'
import { writeMapDiff } from '@touchstone402/shared/map-write'
import { type MapModel, valueAt } from './mapModel.ts'
import type { MapRows } from './mapRows.ts'

/** A key that left the map. */
export type Removal = { readonly key: Uint8Array; readonly removedIn: number }

/** Makes the diff that leads from a version, and from every later one, to the model. */
export function packDiff(
  model: MapModel,
  { rows, setIn }: Pick<MapRows, 'rows' | 'setIn'>,
  removals: readonly Removal[],
  { from, baseSlot }: { readonly from: number; readonly baseSlot: number },
): Uint8Array<ArrayBuffer> {
  const added: Uint8Array[] = []
  const changed: { index: number; value: Uint8Array }[] = []
  for (let index = 0; index < model.entries; index++) {
    if ((model.changedIn[index] ?? 0) <= from) continue
    if ((model.createdIn[index] ?? 0) <= from) changed.push({ index, value: valueAt(model, index) })
    else added.push(model.records.subarray(RECORD_BYTES * index, RECORD_BYTES * (index + 1)))
  }
  const removed = removals.filter(({ removedIn }) => removedIn > from).map(({ key }) => key)
  return writeMapDiff({
    baseSlot,
    entries: model.entries,
    rows: rows.length,
    removed: removed.sort((a, b) => Buffer.compare(a, b)),
    added,
    changed,
    changedRows: rows.flatMap((bytes, row) => ((setIn[row] ?? 0) > from ? [{ row, bytes }] : [])),
  })
}
