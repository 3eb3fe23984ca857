import {
  compareKeys,
  KEY_BYTES,
  lowerBound,
  type MapBody,
  RECORD_BYTES,
  readSlot,
  SLOT_MS,
} from '@touchstone402/shared/map'
import type { Time } from '../../facts/facts.ts'

/** The records of a map in the making, in the order of their keys. */
export type MapModel = {
  readonly entries: number
  readonly records: Uint8Array
  /** Version in which each entry came, and in which it last changed. */
  readonly createdIn: Uint32Array
  readonly changedIn: Uint32Array
}

/** A new value of a key; null removes it. */
export type ModelChange = { readonly key: Uint8Array; readonly value: Uint8Array | null }

/** Continues a published map, or begins with nothing. Diffs cannot lead from before its version. */
export function modelOf(body: MapBody | undefined, version: number): MapModel {
  const entries = body?.entries ?? 0
  const versions = new Uint32Array(entries).fill(version)
  const records = body?.records ?? new Uint8Array()
  return { entries, records, createdIn: versions, changedIn: versions.slice() }
}

/** Returns the index of a key; -1 if the model does not hold it. */
export function indexOf({ records, entries }: MapModel, key: Uint8Array): number {
  const index = lowerBound(records, key)
  return index < entries && compareKeys(records, index, key) === 0 ? index : -1
}

/** Returns the key of an entry. */
export function keyAt({ records }: MapModel, index: number): Uint8Array {
  return records.slice(RECORD_BYTES * index, RECORD_BYTES * index + KEY_BYTES)
}

/** Returns the value of an entry. */
export function valueAt({ records }: MapModel, index: number): Uint8Array {
  return records.subarray(RECORD_BYTES * index + KEY_BYTES, RECORD_BYTES * (index + 1))
}

/** No verdict lasts longer than half of what the byte of the expiry can tell. */
const LONGEST_SLOTS = 128

/** Returns the indices of all entries that have expired. */
export function findExpired({ records, entries }: MapModel, now: Time): number[] {
  const expired: number[] = []
  const base = Math.floor(now / SLOT_MS)
  for (let index = 0; index < entries; index++) {
    // An expired slot reads as the base, or as one of the last before it wraps around.
    const slot = readSlot(records, RECORD_BYTES * index + KEY_BYTES, base)
    if (slot <= base || slot >= base + LONGEST_SLOTS) expired.push(index)
  }
  return expired
}

/**
 * Applies changes, one a key.
 * @param version the version in the making
 */
export function mergeModel(model: MapModel, changes: readonly ModelChange[], version: number): MapModel {
  const most = model.entries + changes.length
  const records = new Uint8Array(RECORD_BYTES * most)
  const createdIn = new Uint32Array(most)
  const changedIn = new Uint32Array(most)
  let made = 0
  let old = 0
  const copy = (until: number) => {
    records.set(model.records.subarray(RECORD_BYTES * old, RECORD_BYTES * until), RECORD_BYTES * made)
    createdIn.set(model.createdIn.subarray(old, until), made)
    changedIn.set(model.changedIn.subarray(old, until), made)
    made += until - old
    old = until
  }
  for (const { key, value } of [...changes].sort((a, b) => Buffer.compare(a.key, b.key))) {
    copy(lowerBound(model.records, key, old))
    const isKnown = old < model.entries && compareKeys(model.records, old, key) === 0
    const created = isKnown ? model.createdIn[old++] : version
    if (value === null) continue
    records.set(key, RECORD_BYTES * made)
    records.set(value, RECORD_BYTES * made + KEY_BYTES)
    createdIn[made] = created ?? version
    changedIn[made++] = version
  }
  copy(model.entries)
  return {
    entries: made,
    records: records.subarray(0, RECORD_BYTES * made),
    createdIn: createdIn.subarray(0, made),
    changedIn: changedIn.subarray(0, made),
  }
}
