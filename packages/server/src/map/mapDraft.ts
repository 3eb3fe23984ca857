import { setImmediate as nextTurn } from 'node:timers/promises'
import { headOf, type MapBody, type MapEntry, mapKeyOf, SLOT_MS } from '@touchstone402/shared/map'
import type { Time } from '../facts/facts.ts'
import { DAY } from '../facts/times.ts'
import {
  EMPTY_MODEL,
  expirySlotAt,
  findExpired,
  indexOf,
  type MapModel,
  type ModelChange,
  mergeModel,
  modelOf,
  sortChanges,
  valueAtIndex,
} from './model/mapModel.ts'
import { createMapTables, type MapTables } from './model/mapTables.ts'
import { joinKey, type Removal } from './model/packModel.ts'

/** Versions that diffs lead from at most. */
export const MOST_BACK = 128
/** Changes held until they are merged. */
const MOST_PENDING = 20_000

/** The map in the making. */
export type MapDraft = {
  readonly tables: MapTables
  model(): MapModel
  /** Keys that left within the last 128 versions. */
  removals(): readonly Removal[]
  /** Sets what the map says of a canonical URL or a shape; null removes it. */
  set(text: string, entry: MapEntry | null): void
  /** Whether enough changes wait to be merged now. */
  isFull(): boolean
  /** Merges what was set, and removes what has expired. */
  merge(now: Time): Promise<void>
}

/**
 * Creates a draft.
 * @param version returns the version in the making
 * @param from the published map that goes on
 */
export async function createMapDraft(version: () => number, from?: MapBody): Promise<MapDraft> {
  const tables = createMapTables(version, from)
  let model = from === undefined ? EMPTY_MODEL : modelOf(from, version())
  let pending = new Map<string, MapEntry | null>()
  let removals: Removal[] = []
  if (from !== undefined) await inSlices(keepAll(model, tables))

  const release = (index: number, { head, tail }: ModelChange) => {
    tables.release(valueAtIndex(model, index))
    removals.push({ key: joinKey(head, tail), removedIn: version() })
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
      const [head, tail] = [headOf(key), key.subarray(4)]
      const index = indexOf(model, head, tail)
      if (entry === null) {
        if (index < 0) continue
        const change = { head, tail, value: null }
        release(index, change)
        changes.push(change)
        continue
      }
      const before = index < 0 ? undefined : valueAtIndex(model, index)
      const slot = chooseSlot(entry.expirySlot, index, now)
      if (before !== undefined && tables.isValue(before, entry, slot)) continue
      const value = tables.encode(entry, slot)
      if (before !== undefined) tables.release(before)
      changes.push({ head, tail, value })
    }
    return changes
  }

  // Renewed only when under a day is left, so that most entries of a version equal those before.
  function chooseSlot(wanted: number, index: number, now: Time): number {
    if (index < 0) return wanted
    const slot = expirySlotAt(model, index, Math.floor(now / SLOT_MS))
    return slot <= wanted && slot * SLOT_MS - now >= DAY ? slot : wanted
  }

  return {
    tables,
    model: () => model,
    removals: () => removals,
    set(text, entry) {
      pending.set(text, entry)
    },
    isFull: () => pending.size >= MOST_PENDING,
    async merge(now) {
      const given = pending
      pending = new Map()
      const changes = sortChanges(await inSlices(toChanges(given, now)))
      if (changes.length > 0) model = await inSlices(mergeModel(model, changes, version()))
      const expired = await inSlices(findExpired(model, now))
      for (const change of expired) release(indexOf(model, change.head, change.tail), change)
      if (expired.length > 0) model = await inSlices(mergeModel(model, expired, version()))
      removals = removals.filter(({ removedIn }) => removedIn > version() - MOST_BACK)
    },
  }
}

function* keepAll(model: MapModel, tables: MapTables): Generator<void, void> {
  for (let index = 0; index < model.entries; index++) {
    if (index % 1024 === 0) yield
    tables.keep(valueAtIndex(model, index))
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
