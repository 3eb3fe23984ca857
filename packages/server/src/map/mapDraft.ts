import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  KEY_BYTES,
  type MapBody,
  type MapEntry,
  mapKeyOf,
  RECORD_BYTES,
  readSlot,
  SLOT_MS,
} from '@touchstone402/shared/map'
import type { Time } from '../facts/facts.ts'
import { DAY } from '../facts/times.ts'
import {
  findExpired,
  indexOf,
  keyAt,
  type MapModel,
  type ModelChange,
  mergeModel,
  modelOf,
  valueAt,
} from './model/mapModel.ts'
import { createMapRows, type MapRows } from './model/mapRows.ts'
import type { Removal } from './model/packDiff.ts'

/** Versions that diffs lead from at most. */
export const MOST_BACK = 128
/** Changes held until they are merged. */
const MOST_PENDING = 8192

/** The map in the making. */
export type MapDraft = {
  readonly rows: MapRows
  model(): MapModel
  /** Keys that left within the last 128 versions. */
  removals(): readonly Removal[]
  /** Sets the map entry of a canonical URL or a shape; null removes it. */
  set(text: string, entry: MapEntry | null): void
  /** Whether enough changes wait to be merged now. */
  isFull(): boolean
  /** Merges the set entries, and removes expired ones. */
  merge(now: Time): Promise<void>
}

/**
 * Creates a draft.
 * @param version returns the version in the making
 * @param from the published map that goes on
 */
export async function createMapDraft(version: () => number, from?: MapBody): Promise<MapDraft> {
  const rows = createMapRows(version, from)
  let model = modelOf(from, version())
  let pending = new Map<string, MapEntry | null>()
  let removals: Removal[] = []
  await inSlices(keepAll(model, rows))

  const remove = (key: Uint8Array, index: number): ModelChange => {
    rows.release(valueAt(model, index))
    removals.push({ key, removedIn: version() })
    return { key, value: null }
  }

  function* toChanges(
    given: Iterable<readonly [string, MapEntry | null]>,
    now: Time,
  ): Generator<void, ModelChange[]> {
    const changes: ModelChange[] = []
    let steps = 0
    for (const [text, entry] of given) {
      if (steps++ % 64 === 0) yield
      const key = mapKeyOf(text)
      const index = indexOf(model, key)
      if (entry === null) {
        if (index >= 0) changes.push(remove(key, index))
        continue
      }
      const value = rows.encode(entry, chooseSlot(entry.expirySlot, index, now))
      const before = index < 0 ? undefined : valueAt(model, index)
      if (before !== undefined && Buffer.compare(before, value) === 0) continue
      rows.keep(value)
      if (before !== undefined) rows.release(before)
      changes.push({ key, value })
    }
    return changes
  }

  // Renewed only when under a day is left, so that most entries of a version equal those before.
  function chooseSlot(wanted: number, index: number, now: Time): number {
    if (index < 0) return wanted
    const slot = readSlot(model.records, RECORD_BYTES * index + KEY_BYTES, Math.floor(now / SLOT_MS))
    return slot <= wanted && slot * SLOT_MS - now >= DAY ? slot : wanted
  }

  return {
    rows,
    model: () => model,
    removals: () => removals,
    set(text, entry) {
      pending.set(text, entry)
    },
    isFull: () => pending.size >= MOST_PENDING,
    async merge(now) {
      const given = pending
      pending = new Map()
      const changes = await inSlices(toChanges(given, now))
      if (changes.length > 0) model = mergeModel(model, changes, version())
      await nextTurn()
      const expired = findExpired(model, now).map((index) => remove(keyAt(model, index), index))
      if (expired.length > 0) model = mergeModel(model, expired, version())
      removals = removals.filter(({ removedIn }) => removedIn > version() - MOST_BACK)
    },
  }
}

function* keepAll(model: MapModel, rows: MapRows): Generator<void, void> {
  for (let index = 0; index < model.entries; index++) {
    if (index % 1024 === 0) yield
    rows.keep(valueAt(model, index))
  }
}

/** Longest time in ms that long work may block the event loop. */
const TURN_MS = 8

/** Runs a generator to its end, and yields to the event loop in between. */
export async function inSlices<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const endsAt = performance.now() + TURN_MS
    do {
      const step = work.next()
      if (step.done) return step.value
    } while (performance.now() < endsAt)
    await nextTurn()
  }
}
