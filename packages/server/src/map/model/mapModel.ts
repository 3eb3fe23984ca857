import { type MapBody, SLOT_MS, slotOf, TAIL_BYTES } from '@touchstone402/shared/map'
import { createByteWriter } from '@touchstone402/shared/map-write'
import type { Time } from '../../facts/facts.ts'

/** The entries of a map in the making, as columns in the order of their keys. */
export type MapModel = {
  readonly entries: number
  readonly heads: Uint32Array
  readonly tails: Uint8Array
  readonly values: Uint8Array
  /** Where each value begins; one more for the end. */
  readonly valueAt: Uint32Array
  /** Version in which each entry came, and in which it last changed. */
  readonly createdIn: Uint32Array
  readonly changedIn: Uint32Array
}

/** A new value of a key; null removes it. */
export type ModelChange = {
  readonly head: number
  readonly tail: Uint8Array
  readonly value: Uint8Array | null
}

/** Number of entries between two pauses. */
const STEP = 4096

export const EMPTY_MODEL: MapModel = {
  entries: 0,
  heads: new Uint32Array(),
  tails: new Uint8Array(),
  values: new Uint8Array(),
  valueAt: new Uint32Array(1),
  createdIn: new Uint32Array(),
  changedIn: new Uint32Array(),
}

/** Continues a published map. Diffs cannot lead from before its version. */
export function modelOf(body: MapBody, version: number): MapModel {
  const { entries, heads, bytes, tailsAt, valueAt } = body
  const start = valueAt[0] ?? bytes.length
  return {
    entries,
    heads,
    tails: bytes.slice(tailsAt, tailsAt + TAIL_BYTES * entries),
    values: bytes.slice(start),
    valueAt: valueAt.map((at) => at - start),
    createdIn: new Uint32Array(entries).fill(version),
    changedIn: new Uint32Array(entries).fill(version),
  }
}

/** Returns the index of a key; -1 if the model does not hold it. */
export function indexOf({ heads, tails, entries }: MapModel, head: number, tail: Uint8Array): number {
  for (let at = lowerBound(heads, entries, head); at < entries && heads[at] === head; at++) {
    if (compareTails(tails, at, tail) === 0) return at
  }
  return -1
}

/** Returns the value of an entry. */
export function valueAtIndex({ values, valueAt }: MapModel, index: number): Uint8Array {
  return values.subarray(valueAt[index], valueAt[index + 1])
}

/** Returns the slot in which an entry expires: the third byte of its value. @param base the current slot */
export function expirySlotAt({ values, valueAt }: MapModel, index: number, base: number): number {
  return slotOf(values[(valueAt[index] ?? 0) + 2] ?? 0, base)
}

/** Returns the removals of all entries that have expired. Pauses are where it yields. */
export function* findExpired(model: MapModel, now: Time): Generator<void, ModelChange[]> {
  const expired: ModelChange[] = []
  const base = Math.floor(now / SLOT_MS)
  for (let index = 0; index < model.entries; index++) {
    if (index % STEP === 0) yield
    // An expired slot reads as the base, or as one of the last before it wraps around.
    const slot = expirySlotAt(model, index, base)
    if (slot > base && slot < base + LONGEST_SLOTS) continue
    expired.push({ ...keyAt(model, index), value: null })
  }
  return expired
}

/** No verdict lasts longer than half of what the byte of the expiry can tell. */
const LONGEST_SLOTS = 128

/**
 * Applies changes, which must be sorted by key, one a key. Pauses are where it yields.
 * @param version the version in the making
 */
export function* mergeModel(
  model: MapModel,
  changes: readonly ModelChange[],
  version: number,
): Generator<void, MapModel> {
  const most = model.entries + changes.length
  const heads = new Uint32Array(most)
  const tails = new Uint8Array(TAIL_BYTES * most)
  const valueAt = new Uint32Array(most + 1)
  const createdIn = new Uint32Array(most)
  const changedIn = new Uint32Array(most)
  const values = createByteWriter(model.values.length + 12 * changes.length)
  let made = 0
  let old = 0

  const copy = (until: number) => {
    for (; old < until; ) {
      const end = Math.min(until, old + STEP)
      const shift = values.length() - (model.valueAt[old] ?? 0)
      heads.set(model.heads.subarray(old, end), made)
      tails.set(model.tails.subarray(TAIL_BYTES * old, TAIL_BYTES * end), TAIL_BYTES * made)
      createdIn.set(model.createdIn.subarray(old, end), made)
      changedIn.set(model.changedIn.subarray(old, end), made)
      values.put(model.values.subarray(model.valueAt[old], model.valueAt[end]))
      for (let from = old; from < end; from++) valueAt[made++] = (model.valueAt[from] ?? 0) + shift
      old = end
    }
  }
  let steps = 0
  for (const { head, tail, value } of changes) {
    if (steps++ % 256 === 0) yield
    let at = lowerBound(model.heads, model.entries, head, old)
    while (at < model.entries && model.heads[at] === head && compareTails(model.tails, at, tail) < 0) at++
    copy(at)
    const isKnown =
      at < model.entries && model.heads[at] === head && compareTails(model.tails, at, tail) === 0
    const created = isKnown ? (model.createdIn[at] ?? version) : version
    if (isKnown) old++
    if (value === null) continue
    heads[made] = head
    tails.set(tail, TAIL_BYTES * made)
    createdIn[made] = created
    changedIn[made] = version
    valueAt[made++] = values.length()
    values.put(value)
  }
  while (old < model.entries) {
    copy(Math.min(model.entries, old + 8 * STEP))
    yield
  }
  valueAt[made] = values.length()
  yield
  return {
    entries: made,
    heads: heads.subarray(0, made),
    tails: tails.subarray(0, TAIL_BYTES * made),
    values: values.bytes(),
    valueAt: valueAt.subarray(0, made + 1),
    createdIn: createdIn.subarray(0, made),
    changedIn: changedIn.subarray(0, made),
  }
}

/** Sorts changes by key. */
export function sortChanges(changes: ModelChange[]): ModelChange[] {
  return changes.sort((a, b) => a.head - b.head || compareTails(a.tail, 0, b.tail))
}

/** Returns the key of an entry. */
export function keyAt({ heads, tails }: MapModel, index: number): Pick<ModelChange, 'head' | 'tail'> {
  return { head: heads[index] ?? 0, tail: tails.subarray(TAIL_BYTES * index, TAIL_BYTES * (index + 1)) }
}

function lowerBound(heads: Uint32Array, entries: number, head: number, from = 0): number {
  let low = from
  let high = entries
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((heads[middle] ?? 0) < head) low = middle + 1
    else high = middle
  }
  return low
}

function compareTails(tails: Uint8Array, index: number, tail: Uint8Array): number {
  for (let at = 0; at < TAIL_BYTES; at++) {
    const difference = (tails[TAIL_BYTES * index + at] ?? 0) - (tail[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
